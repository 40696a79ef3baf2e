"""The batch group: work that comes to an end."""
