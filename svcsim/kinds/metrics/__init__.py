"""Kinds of the group `metrics`: the usage of pods and nodes, computed at each request."""
