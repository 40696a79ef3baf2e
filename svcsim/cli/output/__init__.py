"""The forms in which objects are printed: tables, YAML, JSON, names, JSONPath, columns of one's own."""
