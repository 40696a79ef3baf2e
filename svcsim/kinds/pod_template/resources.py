"""Requests and limits of containers and pods."""

from svcsim.kinds.references import RESOURCE_LIST
from svcsim.schema.types import Field, List, Str, Struct

RESOURCE_CLAIM = Struct(
    "ResourceClaim",
    Field(1, "name", Str(), "One of the pod's resourceClaims", required=True),
    Field(2, "request", Str(), "One request of the claim; all of them if unset"),
    doc="A device claim that a container uses",
)
RESOURCE_REQUIREMENTS = Struct(
    "ResourceRequirements",
    Field(1, "limits", RESOURCE_LIST, "The most that may be used"),
    Field(2, "requests", RESOURCE_LIST, "What is set aside on the node; the limits if unset"),
    Field(3, "claims", List(RESOURCE_CLAIM, kind="map", keys=("name",)), "Device claims that are used"),
    doc="What a container or a pod needs of a node",
)
