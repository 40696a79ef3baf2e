"""The apps group: workloads, which keep pods running."""
