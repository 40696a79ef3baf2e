"""The authorization group: whether somebody may do something."""
