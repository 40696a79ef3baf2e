"""The dashboard in the terminal: live tables of any kind, and what there is to see of each object."""
