"""Capabilities that containers get, may have and must do without."""

from collections.abc import Iterator

from svcsim.admission.pod_security_policy.case import ALL, Case, context_of, set_in_context
from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.types import Object


def fill_container(case: Case, container: Object) -> None:
    """Add what is added by default, unless the container drops it, and drop what has to be dropped."""
    adds, drops = (_of(container, part) for part in ("add", "drop"))
    added = {*adds, *(one for one in _listed(case, "defaultAddCapabilities") if one not in drops)}
    dropped = {*drops, *_listed(case, "requiredDropCapabilities")}
    if added != set(adds) or dropped != set(drops):
        lists = {"add": sorted(added), "drop": sorted(dropped)}
        set_in_context(container, "capabilities", {part: names for part, names in lists.items() if names})


def check_container(case: Case, container: Object, path: str) -> Iterator[FieldError]:
    where, allowed = f"{path}.securityContext.capabilities", _listed(case, "allowedCapabilities")
    default, required = _listed(case, "defaultAddCapabilities"), _listed(case, "requiredDropCapabilities")
    if context_of(container).get("capabilities") is None:
        if default or required:
            yield invalid_value(where, None, "required capabilities are not set on the securityContext")
        return
    if ALL in allowed:
        return
    for name in _of(container, "add"):
        if name not in default and name not in allowed:
            yield invalid_value(f"{where}.add", name, "capability may not be added")
    drops = _of(container, "drop")
    for name in required:
        if name not in drops:
            yield invalid_value(f"{where}.drop", drops, f"{name} is required to be dropped but was not found")


def _of(container: Object, part: str) -> list[str]:
    names: list[str] = (context_of(container).get("capabilities") or {}).get(part) or []
    return names


def _listed(case: Case, name: str) -> list[str]:
    names: list[str] = case.rules.get(name) or []
    return names
