"""The authentication group: the identity of users, and tokens that prove it."""
