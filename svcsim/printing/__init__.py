"""Objects as people read them, for the command line and the dashboard: descriptions, text in columns, values and moments as text."""
