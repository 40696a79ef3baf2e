"""CEL, in which schemas state what a list of keywords can't."""
