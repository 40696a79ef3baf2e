"""Garbage collection: what belongs to an owner goes when the owner goes."""
