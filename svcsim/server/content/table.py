"""Objects as a Table: the columns their kind declares, one row an object.

This is what ``kubectl get`` prints. A kind without columns gets the default table of a name and a time of creation. Each row carries the
object's metadata, the whole object or nothing of it, as ``includeObject`` says.
"""

from typing import Literal

from svcsim.meta.errors import bad_request
from svcsim.meta.types import Json, Object
from svcsim.registry.conversion import table_form, table_kind
from svcsim.registry.kind import Column, Context
from svcsim.registry.options import Target
from svcsim.server.content.partial import partial_object

IncludeObject = Literal["None", "Metadata", "Object"]
_INCLUDES: dict[str, IncludeObject] = {"": "Metadata", "None": "None", "Metadata": "Metadata", "Object": "Object"}

_NAME_DOC = "The object's name, unique among the objects of its kind in its namespace"
_CREATED_DOC = "When the server first stored the object"


def _created_at(obj: Object, _context: Context) -> Json:
    return (obj.get("metadata") or {}).get("creationTimestamp")


def _name(obj: Object, _context: Context) -> Json:
    return (obj.get("metadata") or {}).get("name")


NAME_COLUMN = Column("Name", _name, doc=_NAME_DOC, format="name")
DEFAULT_COLUMNS = (Column("Created At", _created_at, "date", doc=_CREATED_DOC),)


def include_object(value: str) -> IncludeObject:
    """What the query parameter of that name asks for. Raises 400."""
    if value not in _INCLUDES:
        raise bad_request(f'invalid includeObject value: must be one of "None", "Metadata", "Object": {value}')
    return _INCLUDES[value]


class TableView:
    """Makes tables of one resource type, or of what a subresource shows of it, for one request."""

    def __init__(self, target: Target, context: Context, version: str, include: IncludeObject) -> None:
        self._columns, self._converted = _columns(target)
        self._resource = target.resource
        self._context = context
        self._version = version
        self._include = include

    def table(self, rows: list[Object], metadata: Object, *, described: bool = True) -> Object:
        """A whole table. ``metadata`` is the collection's, or holds the object's revision.

        ``described`` False leaves the column definitions out, as in all but the first event of a watch.
        """
        return {
            "kind": "Table",
            "apiVersion": f"{self._context.dialect.group('meta')}/{self._version}",
            "metadata": metadata,
            "columnDefinitions": self._definitions() if described else [],
            "rows": rows,
        }

    def row(self, obj: Object) -> Object:
        """The line that shows an object."""
        context = self._context
        form = table_form(self._resource, obj, context) if self._converted else obj
        row: Object = {"cells": [column.value(form, context) for column in self._columns], "object": None}
        if self._include == "Object":
            row["object"] = obj
        elif self._include == "Metadata":
            row["object"] = partial_object(context.dialect, self._version, obj)
        return row

    def _definitions(self) -> list[Object]:
        return [_definition(column) for column in self._columns]


def _columns(target: Target) -> tuple[tuple[Column, ...], bool]:
    """The columns, and whether their cells may be read from another form of the object."""
    window = target.window
    if window is not None and window.compiled is not None:
        return (NAME_COLUMN, *(window.declared.columns or DEFAULT_COLUMNS)), False
    kind = table_kind(target.resource)
    columns = kind.columns or DEFAULT_COLUMNS
    return (NAME_COLUMN, *columns) if kind.name_column else columns, True


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
