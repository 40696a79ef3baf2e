"""Volumes of pods: what they refer to, whether their claims may be mounted, clones, and how their disks grow."""
