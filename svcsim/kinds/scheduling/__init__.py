"""Priorities of pods."""
