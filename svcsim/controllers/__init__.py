"""The controllers: one file each, a pure `reconcile` core inside a thin asynchronous shell."""
