"""Watching over nodes: who is alive, what is told of those that aren't, and how fast pods are driven away from them."""
