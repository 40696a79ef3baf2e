"""Paths that are no resources: health, version, the cluster's own administration."""
