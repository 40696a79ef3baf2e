"""Server-side apply: field sets, merge, ownership, conflicts."""
