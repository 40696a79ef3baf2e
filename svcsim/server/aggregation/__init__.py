"""API servers behind this one: versions of groups that others answer for, as APIServices say."""
