"""The admission chain, and one file per plugin."""
