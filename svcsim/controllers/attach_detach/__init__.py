"""Has volumes attached to the nodes whose pods use them, and detached from the others."""
