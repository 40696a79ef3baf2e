"""What several kinds have in common: pod specs, references, conditions, table columns, rules."""
