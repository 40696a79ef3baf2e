"""Simulated metrics: the usage of pods and nodes, computed on request, and the APIs that report it."""
