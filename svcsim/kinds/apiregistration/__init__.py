"""The API group apiregistration: which server answers for which version of a group."""
