"""The node life cycle: which nodes are alive, the status of those that aren't, and how fast pods are evicted from them."""
