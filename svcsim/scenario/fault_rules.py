"""What each fault takes: what it can be aimed at, and what else can be said of it."""

from svcsim.meta.types import Object
from svcsim.scenario.format import FAULTS

_OF_PODS = ("name", "namespace", "selector", "labels")
_KINDS: dict[str, str] = {"node-down": "Node", **{name: "Pod" for name in FAULTS if name != "node-down"}}
_AIMS: dict[str, tuple[str, ...]] = {
    "node-down": ("name",),
    "pod-crash": _OF_PODS,
    "image-pull-failure": (*_OF_PODS, "image"),
    "slow-start": (*_OF_PODS, "image"),
}
_DETAILS = {"message": "image-pull-failure", "factor": "slow-start"}


def wrong_fault(fault: Object) -> list[tuple[tuple[str, ...], str]]:
    """What doesn't go together in a fault whose values are right each for itself: where in it, and why."""
    name, target = fault["type"], fault["target"]
    found: list[tuple[tuple[str, ...], str]] = []
    if "kind" in target and target["kind"] != _KINDS[name]:
        found.append((("target", "kind"), f"{name} strikes a {_KINDS[name]}, not a {target['kind']}"))
    found += [
        (("target", field), f"{name} takes no {field}; its target has {', '.join(_AIMS[name])}")
        for field in target
        if field not in {"kind", *_AIMS[name]}
    ]
    if "selector" in target and "labels" in target:
        found.append((("target", "labels"), "a target takes selector or labels, not both"))
    if name == "pod-crash" and "for" in fault:
        found.append(
            (("for",), "pod-crash strikes once and does not last; leave for out, and for more crashes list it again with a later at")
        )
    strange = [(field, kind) for field, kind in _DETAILS.items() if field in fault and name != kind]
    return found + [((field,), f"{field} is for {kind}; {name} takes none") for field, kind in strange]
