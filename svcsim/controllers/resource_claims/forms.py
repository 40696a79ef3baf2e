"""Claims as they are made from templates. Pure."""

from svcsim.client.ownership import controller_reference
from svcsim.meta.objects import name_of
from svcsim.meta.pods import with_kind
from svcsim.meta.types import Object

_BASE_CHARS = 57
"""What is left of 63 characters for the name's beginning, with five by chance behind it."""


def new_claim(pod: Object, entry: str, template: Object, api_version: str, mark: str) -> Object:
    """The claim for an entry in a pod's ``resourceClaims``. ``mark`` is the annotation that tells for which."""
    said = template["spec"].get("metadata") or {}
    metadata: Object = {
        "generateName": name_base(name_of(pod), entry),
        "ownerReferences": [controller_reference(with_kind(pod))],
        "annotations": {**(said.get("annotations") or {}), mark: entry},
    }
    if said.get("labels"):
        metadata["labels"] = said["labels"]
    return {"apiVersion": api_version, "kind": "ResourceClaim", "metadata": metadata, "spec": template["spec"]["spec"]}


def name_base(pod: str, entry: str) -> str:
    """What the names of a pod's claims begin with: of long names both parts are cut, so that each is still to be seen."""
    base = f"{pod}-{entry}-"
    if len(base) <= _BASE_CHARS:
        return base
    return f"{pod[: len(pod) * _BASE_CHARS // len(base)]}-{entry[: len(entry) * _BASE_CHARS // len(base)]}"
