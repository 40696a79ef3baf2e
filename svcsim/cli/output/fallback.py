"""A table for objects that come from a server which makes none: names and ages."""

from svcsim.meta.objects import metadata_of, name_of
from svcsim.meta.types import Object
from svcsim.printing.texts import since

_COLUMNS = [{"name": "Name", "type": "string", "format": "name"}, {"name": "Age", "type": "string", "format": ""}]


def objects_table(objects: list[Object], revision: str, now: float) -> Object:
    """A Table of the objects, with ages as of a moment."""
    rows = [{"cells": [name_of(obj), since(metadata_of(obj).get("creationTimestamp"), now)], "object": obj} for obj in objects]
    return {"kind": "Table", "metadata": {"resourceVersion": revision}, "columnDefinitions": _COLUMNS, "rows": rows}
