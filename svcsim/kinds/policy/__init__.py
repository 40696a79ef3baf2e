"""Bounds on disruption, and on what pods may do."""
