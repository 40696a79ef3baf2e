"""The kubectl-like commands, one file or folder each."""
