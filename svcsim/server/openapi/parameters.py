"""The query and path parameters of the API, as its OpenAPI documents list them."""

import re
from typing import Literal, NamedTuple

from svcsim.meta.types import Object


class Parameter(NamedTuple):
    """One parameter. ``type`` is OpenAPI's."""

    name: str
    type: str
    doc: str
    where: Literal["query", "path"] = "query"

    def described(self, version: Literal[2, 3]) -> Object:
        """As a document of that version lists it."""
        described: Object = {"name": self.name, "in": self.where, "description": self.doc}
        if self.where == "path":
            described["required"] = True
        if version == 2:
            return {**described, "type": self.type, "uniqueItems": True}
        return {**described, "schema": {"type": self.type, "uniqueItems": True}}


_PRETTY = Parameter("pretty", "string", "Indent JSON answers")
READING = (Parameter("resourceVersion", "string", "How fresh the answer has to be"), _PRETTY)
LISTING = (
    Parameter("allowWatchBookmarks", "boolean", "Let a watch send bookmarks"),
    Parameter("continue", "string", "Token of the page before"),
    Parameter("fieldSelector", "string", "Which objects, by their fields"),
    Parameter("labelSelector", "string", "Which objects, by their labels"),
    Parameter("limit", "integer", "Objects on a page at the most"),
    _PRETTY,
    Parameter("resourceVersion", "string", "As of when, or since when"),
    Parameter("resourceVersionMatch", "string", "How resourceVersion is meant: Exact or NotOlderThan"),
    Parameter("sendInitialEvents", "boolean", "Begin a watch with what there is"),
    Parameter("timeoutSeconds", "integer", "How long a watch goes on"),
    Parameter("watch", "boolean", "Send changes as they happen"),
)
WRITING = (
    Parameter("dryRun", "string", "All: do everything but store"),
    Parameter("fieldManager", "string", "Whose fields these are"),
    Parameter("fieldValidation", "string", "Ignore, Warn of or refuse (Strict) unknown and duplicate fields"),
    Parameter("force", "boolean", "Take fields from other managers when applying"),
    _PRETTY,
)
_NAMED = {
    "name": Parameter("name", "string", "Name of the object", "path"),
    "namespace": Parameter("namespace", "string", "Namespace of the object", "path"),
}
_PLACES = re.compile(r"\{(\w+)\}")


def path_parameters(path: str, version: Literal[2, 3]) -> list[Object]:
    """Those that stand in the path itself."""
    return [_NAMED[name].described(version) for name in _PLACES.findall(path)]
