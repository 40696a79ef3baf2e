"""Horizontal pod autoscaling: how many pods a workload should have, by what is measured of them."""
