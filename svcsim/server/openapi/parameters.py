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


_OF_WATCHES = ("allowWatchBookmarks", "watch")
_PRETTY = Parameter("pretty", "string", "Indent JSON answers")
READING = (Parameter("resourceVersion", "string", "Which resource version a list may be served from"), _PRETTY)
LISTING = (
    Parameter("allowWatchBookmarks", "boolean", "Ask the watch to send bookmarks"),
    Parameter("continue", "string", "Continue token of the previous page"),
    Parameter("fieldSelector", "string", "Field selector"),
    Parameter("labelSelector", "string", "Label selector"),
    Parameter("limit", "integer", "Maximum number of objects per page"),
    _PRETTY,
    Parameter("resourceVersion", "string", "Resource version to read at, or to start a watch from"),
    Parameter("resourceVersionMatch", "string", "How resourceVersion is applied: Exact or NotOlderThan"),
    Parameter("sendInitialEvents", "boolean", "Begin a watch with the existing objects"),
    Parameter("timeoutSeconds", "integer", "Seconds after which a list or watch ends"),
    Parameter("watch", "boolean", "Watch for changes instead of returning the list"),
)
_DRY_RUN = Parameter("dryRun", "string", "With All, everything is done except for storing the change")
WRITING = (
    _DRY_RUN,
    Parameter("fieldManager", "string", "Name of the field manager"),
    Parameter("fieldValidation", "string", "What to do with unknown and duplicate fields: Ignore, Warn or Strict"),
    _PRETTY,
)
PATCHING = (*WRITING, Parameter("force", "boolean", "Take over fields from other managers when applying"))
DELETING = (
    _DRY_RUN,
    Parameter("gracePeriodSeconds", "integer", "Seconds for a graceful termination; 0 means immediately; by default as the type says"),
    Parameter("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean", "Delete the object even if the store can no longer read it"),
    Parameter("orphanDependents", "boolean", "Older form of propagationPolicy"),
    _PRETTY,
    Parameter("propagationPolicy", "string", "What happens to dependents: Orphan, Background or Foreground"),
)
DELETING_MANY = tuple({parameter.name: parameter for parameter in (*LISTING, *DELETING) if parameter.name not in _OF_WATCHES}.values())
"""Which objects, and how: as a list selects and as a delete deletes."""
_NAMED = {
    "name": Parameter("name", "string", "Name of the object", "path"),
    "namespace": Parameter("namespace", "string", "Namespace of the object", "path"),
    "path": Parameter("path", "string", "Path below it", "path"),
}
_PLACES = re.compile(r"\{(\w+)\}")


def path_parameters(path: str, version: Literal[2, 3]) -> list[Object]:
    """The parameters in the path itself."""
    return [_NAMED[name].described(version) for name in _PLACES.findall(path)]
