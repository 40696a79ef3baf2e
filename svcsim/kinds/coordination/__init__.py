"""The coordination group: leases."""
