"""A table for objects that come from a server which makes none: names and ages."""

from svcsim.clock import wall_time
from svcsim.meta.objects import metadata_of, name_of
from svcsim.meta.times import human_duration, parse_time
from svcsim.meta.types import Object

_COLUMNS = [{"name": "Name", "type": "string", "format": "name"}, {"name": "Age", "type": "string", "format": ""}]


def objects_table(objects: list[Object], revision: str) -> Object:
    """A Table of the objects."""
    rows = [{"cells": [name_of(obj), age_of(metadata_of(obj).get("creationTimestamp"))], "object": obj} for obj in objects]
    return {"kind": "Table", "metadata": {"resourceVersion": revision}, "columnDefinitions": _COLUMNS, "rows": rows}


def age_of(moment: str | None) -> str:
    """How long ago a moment was."""
    return human_duration(wall_time() - parse_time(moment)) if moment else "<unknown>"
