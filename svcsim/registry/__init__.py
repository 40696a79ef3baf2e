"""One generic create, get, list, update, patch, delete and watch for every kind."""
