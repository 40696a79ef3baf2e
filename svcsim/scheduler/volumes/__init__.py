"""Volumes in scheduling: where those of a pod are to be had, and having them bound before the pod is."""
