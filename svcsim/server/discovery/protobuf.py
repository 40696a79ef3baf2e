"""Discovery's plain documents as protobuf messages, for clients that ask for nothing else."""

from svcsim.meta.types import Object
from svcsim.schema.protobuf import encode_envelope, encode_message
from svcsim.schema.types import Bool, Field, List, Str, Struct

_ADDRESS = Struct("ServerAddressByClientCIDR", Field(1, "clientCIDR", Str()), Field(2, "serverAddress", Str()))
_VERSION = Struct("GroupVersionForDiscovery", Field(1, "groupVersion", Str()), Field(2, "version", Str()))
_GROUP = Struct(
    "APIGroup",
    Field(1, "name", Str()),
    Field(2, "versions", List(_VERSION)),
    Field(3, "preferredVersion", _VERSION),
    Field(4, "serverAddressByClientCIDRs", List(_ADDRESS)),
)
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
    "APIVersions": Struct("APIVersions", Field(1, "versions", List(Str())), Field(2, "serverAddressByClientCIDRs", List(_ADDRESS))),
    "APIGroup": _GROUP,
    "APIGroupList": Struct("APIGroupList", Field(1, "groups", List(_GROUP))),
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
