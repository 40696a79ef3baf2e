"""The life of pods on their nodes: runs, statuses, mounts, resizes, and the controller that writes what becomes of them."""
