"""Places pods on nodes and says why it can't."""
