"""``top``: how much nodes and pods use."""
