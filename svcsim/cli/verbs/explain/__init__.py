"""``explain``: what the fields of a type are, read from the OpenAPI documents the server serves, and printed as kubectl prints it."""
