"""Connections that carry several streams in both directions: what `exec` and `port-forward` speak, and nothing of what they do."""
