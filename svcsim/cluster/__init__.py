"""The composition root: builds one cluster out of everything below, and is the only room that does.

`spec` says what a cluster can be asked to be, `parts` what it is made of, `first_objects` what is in it from the start, `keepers` what
keeps it running, `cluster` puts it together. Only `spec` is light to import: the command line and the scenarios read it.
"""
