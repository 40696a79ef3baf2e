"""``apply``, by the client and by the server."""
