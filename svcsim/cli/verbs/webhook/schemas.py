"""The schemas of what a webhook is asked about: whether the cluster will be able to read what a patch leaves.

The cluster decides that, and tells whoever made the request. Whoever writes the handler is told in the terminal, by the schemas that the
cluster publishes. Of resources that aren't named (``*``) nothing is known.
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


class Schemas:
    """Those of one webhook."""

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

    def mistake(self, request: Object, response: Object) -> str:
        """What the cluster won't be able to read of an object as a patch leaves it; empty where that isn't known."""
        schema = self._of(request.get("resource") or {}, request.get("kind") or {}) if response.get("patch") else None
        if schema is None:
            return ""
        try:
            schema.decode(json_patch.apply(request["object"], decode_json(base64.b64decode(response["patch"]))))
        except StatusError as error:
            return error.message
        return ""

    def _of(self, resource: Object, kind: Object) -> Compiled | None:
        served, shown = (resource.get("group", ""), resource.get("version", "")), (kind.get("group", ""), kind.get("version", ""))
        key = (served, shown, kind.get("kind", ""))
        if key not in self._compiled and served in self._documents:
            struct = read_struct(self._documents[served], str(GroupVersion(*shown)), key[2])
            self._compiled[key] = None if struct is None else compile_struct(struct)
        return self._compiled.get(key)
