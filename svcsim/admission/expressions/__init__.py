"""Expressions in CEL about requests. An import from here loads the CEL library, which takes time and memory."""
