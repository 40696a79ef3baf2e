"""Objects as a Table: the columns their kind declares, one row an object.

This is what ``kubectl get`` prints. A kind without columns gets the default table of a name and a time of creation. Each row carries the
object's metadata, the whole object or nothing of it, as ``includeObject`` says.
"""

from typing import Literal

from svcsim.meta.errors import bad_request
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context
from svcsim.registry.scheme import Resource
from svcsim.server.partial import partial_object

IncludeObject = Literal["None", "Metadata", "Object"]
_INCLUDES: dict[str, IncludeObject] = {"": "Metadata", "None": "None", "Metadata": "Metadata", "Object": "Object"}

_NAME_DOC = "The object's name, unique among the objects of its kind in its namespace"
_CREATED_DOC = "When the server first stored the object"


def _created_at(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a column's signature
    return (obj.get("metadata") or {}).get("creationTimestamp")


def _name(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a column's signature
    return (obj.get("metadata") or {}).get("name")


NAME_COLUMN = Column("Name", _name, doc=_NAME_DOC, format="name")
DEFAULT_COLUMNS = (Column("Created At", _created_at, "date", doc=_CREATED_DOC),)


def include_object(value: str) -> IncludeObject:
    """What the query parameter of that name asks for. Raises 400."""
    if value not in _INCLUDES:
        raise bad_request(f'invalid includeObject value: must be one of "None", "Metadata", "Object": {value}')
    return _INCLUDES[value]


class TableView:
    """Makes tables of one resource type for one request."""

    def __init__(self, resource: Resource, context: Context, version: str, include: IncludeObject) -> None:
        columns = resource.kind.columns or DEFAULT_COLUMNS
        self._columns = (NAME_COLUMN, *columns) if resource.kind.name_column else columns
        self._context = context
        self._version = version
        self._include = include

    def table(self, objects: list[Object], metadata: Object) -> Object:
        """A whole table. ``metadata`` is the collection's, or says the object's revision."""
        return self._table([self._row(obj) for obj in objects], metadata, self._definitions())

    def event(self, obj: Object, *, first: bool) -> Object:
        """The table of one row that a watch event carries; only a watch's first has column definitions."""
        return self._table([self._row(obj)], revision_metadata(obj), self._definitions() if first else [])

    def _table(self, rows: list[Object], metadata: Object, definitions: list[Object]) -> Object:
        return {
            "kind": "Table",
            "apiVersion": f"{self._context.dialect.group('meta')}/{self._version}",
            "metadata": metadata,
            "columnDefinitions": definitions,
            "rows": rows,
        }

    def _definitions(self) -> list[Object]:
        return [_definition(column) for column in self._columns]

    def _row(self, obj: Object) -> Object:
        context = self._context
        row: Object = {"cells": [column.value(obj, context) for column in self._columns]}
        if self._include == "Object":
            row["object"] = obj
        elif self._include == "Metadata":
            row["object"] = partial_object(context.dialect, self._version, obj)
        return row


def revision_metadata(obj: Object) -> Object:
    """The metadata of a table that shows one object."""
    return {"resourceVersion": (obj.get("metadata") or {}).get("resourceVersion", "")}


def _definition(column: Column) -> Object:
    return {
        "name": column.name,
        "type": column.type,
        "format": column.format,
        "description": column.doc,
        "priority": column.priority,
    }
