"""What is filled in of a CSINode. Protobuf knows no empty list, so that the schema can't say it."""

from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def no_drivers(node: Object, context: Context) -> None:
    """A node without drivers is told as such."""
    node.setdefault("spec", {}).setdefault("drivers", [])
