"""Describing objects: a describer a kind, and what they write with."""
