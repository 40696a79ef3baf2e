"""What a table shows of a ResourceQuota: what is taken of what may be, for requests and for limits."""

from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def requests(obj: Object, context: Context) -> Json:
    return _amounts(obj, of_limits=False)


def limits(obj: Object, context: Context) -> Json:
    return _amounts(obj, of_limits=True)


def _amounts(obj: Object, *, of_limits: bool) -> str:
    status = obj.get("status") or {}
    hard, used = status.get("hard") or {}, status.get("used") or {}
    names = [name for name in sorted(hard) if name.startswith("limits.") == of_limits]
    return ", ".join(f"{name}: {used.get(name, '0')}/{hard[name]}" for name in names)
