"""The schemas of what a webhook is asked about: whether the cluster will be able to read what a patch leaves, and will keep all of it.

The cluster decides that; it reports unreadable objects to the client that made the request, and drops unknown fields silently. The author
of the handler sees both in the terminal, by the schemas that the cluster publishes. For resources that aren't named (``*``) there are none.
"""

import base64
from typing import TYPE_CHECKING

from svcsim.cli.shared.openapi_schema import OpenApi, read_struct
from svcsim.meta import json_patch
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import StatusError
from svcsim.meta.types import GroupVersion, Object
from svcsim.schema.compile import Compiled, compile_struct

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Session

_Version = tuple[str, str]
"""A group and a version of it."""
_SHOWN = 5
"""The number of dropped fields that a note names."""


class Schemas:
    """The schemas of one webhook's resources."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._documents: dict[_Version, Object] = {}
        self._compiled: dict[tuple[_Version, _Version, str], Compiled | None] = {}

    def load(self, rules: tuple[Object, ...]) -> None:
        """Ask for those of the resources in rules. It waits for the cluster. Raises `ConnectionError`."""
        api = OpenApi(self._session)
        groups = [group for rule in rules for group in rule["apiGroups"] if group != "*"]
        self._documents = {(group, version): found for group in groups for version, found in api.documents(group).items()}
        self._compiled = {}

    def notes(self, request: Object, response: Object) -> tuple[str, ...]:
        """What the cluster won't make of an object what a patch says; nothing where that isn't known."""
        patched = response.get("patch") and response["allowed"]
        schema = self._of(request.get("resource") or {}, request.get("kind") or {}) if patched else None
        if schema is None:
            return ()
        try:
            _, unknown = schema.decode(json_patch.apply(request["object"], decode_json(base64.b64decode(response["patch"]))))
        except StatusError as error:
            return (f"the cluster can't take its patch: {error.message}",)
        there_before = _unknown(schema, request["object"]) if unknown else []
        dropped = [path for path in unknown if path not in there_before]
        return (f"the cluster drops what it doesn't know: {_listed(dropped)}",) if dropped else ()

    def _of(self, resource: Object, kind: Object) -> Compiled | None:
        served, shown = (resource.get("group", ""), resource.get("version", "")), (kind.get("group", ""), kind.get("version", ""))
        key = (served, shown, kind.get("kind", ""))
        if key not in self._compiled and served in self._documents:
            struct = read_struct(self._documents[served], str(GroupVersion(*shown)), key[2])
            self._compiled[key] = None if struct is None else compile_struct(struct)
        return self._compiled.get(key)


def _unknown(schema: Compiled, obj: Object) -> list[str]:
    """What an object from the cluster has beyond its schema: the cluster keeps that, whatever it has published."""
    try:
        return schema.decode(obj)[1]
    except StatusError:
        return []


def _listed(paths: list[str]) -> str:
    shown = ", ".join(paths[:_SHOWN])
    return f"{shown} and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else shown
