"""Tolerations that stand somewhere else than in a pod: read by the schema of those of pods, since they may become such."""

from collections.abc import Iterator

from svcsim.meta.errors import bad_request
from svcsim.meta.types import Json, Object
from svcsim.schema.compile import Compiled
from svcsim.schema.scalars import kind_of


def read_tolerations(toleration: Compiled, listed: Json) -> Iterator[tuple[Object, list[str]]]:
    """Each of a list, in the form it is stored in, and the paths of what nobody declared. Raises `StatusError` 400 for wrong types."""
    if not isinstance(listed, list | None):
        raise bad_request(f"json: cannot unmarshal {kind_of(listed)} into Go value of type []v1.Toleration")
    return (toleration.decode({} if one is None else one) for one in listed or ())
