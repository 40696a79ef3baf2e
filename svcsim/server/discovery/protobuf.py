"""Discovery's plain documents as protobuf messages, for clients that ask for nothing else."""

from svcsim.meta.types import Object
from svcsim.schema.common import API_GROUP, API_GROUP_LIST, API_VERSIONS
from svcsim.schema.protobuf import encode_envelope, encode_message
from svcsim.schema.types import Bool, Field, List, Str, Struct

_RESOURCE = Struct(
    "APIResource",
    Field(1, "name", Str()),
    Field(6, "singularName", Str()),
    Field(2, "namespaced", Bool()),
    Field(8, "group", Str()),
    Field(9, "version", Str()),
    Field(3, "kind", Str()),
    Field(4, "verbs", Struct("Verbs", Field(1, "items", List(Str())))),
    Field(5, "shortNames", List(Str())),
    Field(7, "categories", List(Str())),
    Field(10, "storageVersionHash", Str()),
)
_MESSAGES = {
    "APIVersions": API_VERSIONS,
    "APIGroup": API_GROUP,
    "APIGroupList": API_GROUP_LIST,
    "APIResourceList": Struct("APIResourceList", Field(1, "groupVersion", Str()), Field(2, "resources", List(_RESOURCE))),
}


def encode_discovery(document: Object) -> bytes:
    """A document as a body."""
    kind = document["kind"]
    if kind == "APIResourceList":
        # The one list that stands in a message of its own.
        resources = [{**resource, "verbs": {"items": resource["verbs"]}} for resource in document["resources"]]
        document = {**document, "resources": resources}
    return encode_envelope("v1", kind, encode_message(document, _MESSAGES[kind]))
