"""Types of fields, and what follows from them: decode, default, prune, validate."""
