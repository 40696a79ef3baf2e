"""Which groups, versions and resource types there are, as clients ask for it."""
