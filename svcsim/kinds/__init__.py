"""The API as data: one file per API group."""
