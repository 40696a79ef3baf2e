"""The discovery group: the endpoints of Services."""
