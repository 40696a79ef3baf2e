"""Requests below a ``proxy`` path, passed on to the server that an object stands for: what is common to all of them."""
