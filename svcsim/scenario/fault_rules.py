"""What each fault takes: what it can be aimed at, and what else can be said of it."""

from svcsim.meta.types import Object
from svcsim.meta.webhook_faults import SLOW, WEBHOOK_FAIL
from svcsim.scenario.format import FAULTS

_OF_PODS = ("name", "namespace", "selector", "labels")
_KINDS: dict[str, str] = {"node-down": "Node", **{name: "Pod" for name in FAULTS if name not in ("node-down", WEBHOOK_FAIL)}}
_AIMS: dict[str, tuple[str, ...]] = {
    "node-down": ("name",),
    "pod-crash": _OF_PODS,
    "image-pull-failure": (*_OF_PODS, "image"),
    "slow-start": (*_OF_PODS, "image"),
    WEBHOOK_FAIL: ("name", "configuration"),
}
_DETAILS: dict[str, tuple[str, ...]] = {
    "message": ("image-pull-failure", WEBHOOK_FAIL),
    "factor": ("slow-start",),
    "mode": (WEBHOOK_FAIL,),
    "delay": (WEBHOOK_FAIL,),
    "code": (WEBHOOK_FAIL,),
}
_OF_MODES: dict[str, tuple[str, ...]] = {"delay": (SLOW,), "code": ("error", "deny"), "message": ("error", "deny")}
_Finding = tuple[tuple[str, ...], str]
"""Where in a fault something is wrong, and why."""


def wrong_fault(fault: Object) -> list[_Finding]:
    """What doesn't go together in a fault whose values are right each for itself."""
    name, target = fault["type"], fault["target"]
    found: list[_Finding] = []
    if name in _KINDS and "kind" in target and target["kind"] != _KINDS[name]:
        found.append((("target", "kind"), f"{name} strikes a {_KINDS[name]}, not a {target['kind']}"))
    aims = (*(("kind",) if name in _KINDS else ()), *_AIMS[name])
    found += [
        (("target", field), f"{name} takes no {field}; its target has {', '.join(_AIMS[name])}") for field in target if field not in aims
    ]
    if "selector" in target and "labels" in target:
        found.append((("target", "labels"), "a target takes selector or labels, not both"))
    if name == "pod-crash" and "for" in fault:
        found.append(
            (("for",), "pod-crash strikes once and does not last; leave for out, and for more crashes list it again with a later at")
        )
    strange = [(field, kinds) for field, kinds in _DETAILS.items() if field in fault and name not in kinds]
    found += [((field,), f"{field} is for {' and '.join(kinds)}; {name} takes none") for field, kinds in strange]
    return found + (_wrong_mode(fault) if name == WEBHOOK_FAIL else [])


def _wrong_mode(fault: Object) -> list[_Finding]:
    mode = fault.get("mode")
    if mode is None:
        return [(("type",), f"{WEBHOOK_FAIL} needs a mode, which says how they fail")]
    if mode == SLOW and "delay" not in fault:
        return [(("mode",), "a slow webhook needs a delay, such as 5s")]
    strange = [(field, modes) for field, modes in _OF_MODES.items() if field in fault and mode not in modes]
    return [((field,), f"{field} is for the {'modes' if len(modes) > 1 else 'mode'} {' and '.join(modes)}") for field, modes in strange]
