"""Tokens of service accounts: how they are signed, what they say, and whose they are."""
