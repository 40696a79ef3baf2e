"""What a table shows of an IngressClass: the object with its settings."""

from svcsim.kinds.shared.columns import NONE
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def parameters(obj: Object, context: Context) -> Json:
    reference = get_path(obj, "spec.parameters")
    if not reference:
        return NONE
    group = f".{reference['apiGroup']}" if reference.get("apiGroup") is not None else ""
    return f"{reference.get('kind', '')}{group}/{reference.get('name', '')}"
