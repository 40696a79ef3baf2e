"""The authorization group: whether a user may do something."""
