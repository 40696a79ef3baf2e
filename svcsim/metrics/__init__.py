"""Simulated metrics: how much pods and nodes use, worked out when somebody asks, and the APIs that tell it."""
