"""APIServices: one for every version of a group that this server serves, and whether those of others can be reached."""
