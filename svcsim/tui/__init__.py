"""The terminal dashboard, an API client like any other."""
