"""What a table shows of a CustomResourceDefinition: when it was made, as a moment and not as an age."""

from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def created_at(obj: Object, _context: Context) -> Json:
    return metadata_of(obj).get("creationTimestamp")
