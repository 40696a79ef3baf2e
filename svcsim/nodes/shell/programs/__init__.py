"""Programs that are pretended to be there."""
