"""What makes a CSIDriver right, and what of it may change."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import IMMUTABLE, one_of
from svcsim.kinds.shared.words import FS_GROUP_POLICY, VOLUME_LIFECYCLE_MODE
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, duplicate, invalid_value, unsupported
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_FIXED = ("attachRequired", "fsGroupPolicy", "podInfoOnMount", "volumeLifecycleModes")
_PERIOD_S = 10
fs_group_policies = one_of(*FS_GROUP_POLICY.values)


def lifecycle_modes(value: Json, path: str) -> Iterator[FieldError]:
    yield from (unsupported(path, mode, VOLUME_LIFECYCLE_MODE.values) for mode in value if mode not in VOLUME_LIFECYCLE_MODE.values)


def audiences_differ(value: Json, path: str) -> Iterator[FieldError]:
    """One token for each audience, and one at the most for none."""
    seen: set[str] = set()
    for index, request in enumerate(value):
        audience = request.get("audience") or ""
        if audience in seen:
            yield duplicate(f"{path}[{index}].audience", audience)
        seen.add(audience)


def update_period(value: Json, path: str) -> Iterator[FieldError]:
    if value < _PERIOD_S:
        yield invalid_value(path, value, f"must be greater than or equal to {_PERIOD_S} seconds")


def csi_driver_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """What volumes and pods that are there already rest on stays."""
    for name in _FIXED:
        wanted, held = get_path(new, f"spec.{name}"), get_path(old, f"spec.{name}")
        if not same_json(wanted, held):
            yield invalid_value(f"spec.{name}", wanted, IMMUTABLE)
