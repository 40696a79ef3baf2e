"""Discovery's documents as protobuf messages, for clients that ask for nothing else."""

from svcsim.meta.types import Object
from svcsim.schema.common import API_GROUP, API_GROUP_LIST, API_VERSIONS, LIST_META, OBJECT_META
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
_RESPONSE_KIND = Struct("GroupVersionKind", Field(1, "group", Str()), Field(2, "version", Str()), Field(3, "kind", Str()))
_AGGREGATED_SUBRESOURCE = Struct(
    "APISubresourceDiscovery",
    Field(1, "subresource", Str()),
    Field(2, "responseKind", _RESPONSE_KIND),
    Field(4, "verbs", List(Str())),
)
_AGGREGATED_RESOURCE = Struct(
    "APIResourceDiscovery",
    Field(1, "resource", Str()),
    Field(2, "responseKind", _RESPONSE_KIND),
    Field(3, "scope", Str()),
    Field(4, "singularResource", Str()),
    Field(5, "verbs", List(Str())),
    Field(6, "shortNames", List(Str())),
    Field(7, "categories", List(Str())),
    Field(8, "subresources", List(_AGGREGATED_SUBRESOURCE)),
)
_AGGREGATED_VERSION = Struct(
    "APIVersionDiscovery",
    Field(1, "version", Str()),
    Field(2, "resources", List(_AGGREGATED_RESOURCE)),
    Field(3, "freshness", Str()),
)
_AGGREGATED_GROUP = Struct("APIGroupDiscovery", Field(1, "metadata", OBJECT_META), Field(2, "versions", List(_AGGREGATED_VERSION)))
_MESSAGES = {
    "APIGroupDiscoveryList": Struct("APIGroupDiscoveryList", Field(1, "metadata", LIST_META), Field(2, "items", List(_AGGREGATED_GROUP))),
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
    return encode_envelope(document.get("apiVersion") or "v1", kind, encode_message(document, _MESSAGES[kind]))
