"""How a server shares itself out among requests."""
