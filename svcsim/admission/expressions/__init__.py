"""Expressions in CEL about requests. Whoever imports from here loads the CEL library, which takes long, and much memory."""
