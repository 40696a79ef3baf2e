"""Tolerations of several origins as those of one pod."""

from collections.abc import Sequence

from svcsim.meta.types import Object


def merged(own: Sequence[Object], extra: Sequence[Object]) -> list[Object]:
    """All tolerations, without those that others of them cover."""
    found: list[Object] = []
    for one in (*own, *extra):
        if not any(covers(other, one) for other in found):
            found = [*(other for other in found if not covers(one, other)), dict(one)]
    return found


def covers(wide: Object, narrow: Object) -> bool:
    """Whether one tolerates all that the other does."""
    if wide.get("key") and wide["key"] != narrow.get("key"):
        return False
    if wide.get("effect") and wide["effect"] != narrow.get("effect"):
        return False
    if wide.get("effect") == "NoExecute" and wide.get("tolerationSeconds") is not None:
        seconds = narrow.get("tolerationSeconds")
        if seconds is None or seconds > wide["tolerationSeconds"]:
            return False
    if (wide.get("operator") or "Equal") == "Exists":
        return True
    return (narrow.get("operator") or "Equal") == "Equal" and (wide.get("value") or "") == (narrow.get("value") or "")


def conflict(one: Object, other: Object) -> bool:
    """Whether two are about the same taint and say another value of it: neither covers the other."""
    same = all((one.get(name) or "") == (other.get(name) or "") for name in ("key", "effect"))
    return same and bool(one.get("key")) and not covers(one, other) and not covers(other, one)
