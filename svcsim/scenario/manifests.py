"""Files of objects that a scenario names."""

from pathlib import Path

from svcsim.meta.codec import decode_yaml_documents
from svcsim.meta.types import Object


def read_objects(path: Path) -> list[Object]:
    """The objects of a manifest; a List gives its items."""
    found: list[Object] = []
    for document in decode_yaml_documents(path.read_bytes()):
        found += document.value["items"] if document.value.get("kind") == "List" else [document.value]
    return found


def numbered_base(template: Object) -> str:
    """What the names of a template's copies begin with, before their numbers."""
    base: str = template["metadata"].get("name") or template["metadata"].get("generateName", "load-")
    return base.rstrip("-")
