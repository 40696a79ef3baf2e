"""Kinds of the group `metrics`: what pods and nodes use, worked out when somebody asks."""
