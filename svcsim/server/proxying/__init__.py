"""Requests below a ``proxy`` path, handed on to what an object stands for: what the server does with them, whoever answers."""
