"""Simulated nodes and the life of the pods on them; no container ever runs."""
