"""``get``: objects as they are, and as they change."""
