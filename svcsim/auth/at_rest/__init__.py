"""Secrets at rest: objects that stand on the disk encrypted."""
