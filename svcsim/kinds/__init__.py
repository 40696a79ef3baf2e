"""The API as data: a folder a group, a file a kind; what several kinds have in common stands in ``shared``, and all of them in ``all``."""
