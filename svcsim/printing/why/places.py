"""Nodes and namespaces: what others are in."""

from svcsim.dialect import Dialect
from svcsim.meta.objects import condition, condition_is, get_path, name_of
from svcsim.meta.taints import NO_EXECUTE, NO_SCHEDULE, PREFER_NO_SCHEDULE, Taint, taints_of
from svcsim.meta.times import human_duration, parse_time
from svcsim.meta.types import Object
from svcsim.printing.why.attended import unattended
from svcsim.printing.why.conditions import in_words
from svcsim.printing.why.known import controllers_off, failure_of, has_lost_its_node, is_unmanned
from svcsim.printing.why.verdict import Coming, Explainer, Facts, Verdict, sentence
from svcsim.printing.why.zones import leaving, wanted_of_zones

_PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
_OF_UNREADY = ("not-ready", "unreachable", "network-unavailable")
"""Taints that say of a node what its conditions do."""
_DOES = {
    NO_SCHEDULE: "keeps away new pods that don't tolerate it",
    PREFER_NO_SCHEDULE: "has new pods that don't tolerate it come only where there is no better place",
    NO_EXECUTE: "drives away the pods that don't tolerate it, and keeps such away",
}
"""What taints do, by their effect."""


def _explain_node(node: Object, facts: Facts) -> Verdict:
    ready = condition(node, "Ready")
    cordoned = bool(get_path(node, "spec.unschedulable"))
    notes = ["It is cordoned: pods that are there stay, and no others come."] if cordoned else []
    pressed = [found for kind in _PRESSURES if (found := condition(node, kind)) is not None and found.get("status") == "True"]
    failure = failure_of(facts)
    made_to, until = ((), ()) if failure is None else _failed(node, failure, facts)
    if failure is not None and (ready is None or ready.get("status") != "Unknown"):
        noticed = "and nobody has noticed yet" if condition_is(node, "Ready") else "and hasn't been ready before"
        return Verdict(f"has failed, {noticed}", because=(*made_to, *notes), then=until)
    if ready is not None and ready.get("status") == "True":
        state = "is ready" + (", and cordoned" if cordoned else "")
        left = taints_left(node, facts.dialect)
        notes += [f"Its taint {key} is still there although it is ready: {unattended('Nodes')}." for key in left]
        because = (*notes, *_tainted(node, facts.dialect, *left), *map(in_words, pressed))
        return Verdict(state, fine=not pressed and not left, because=because)
    unmanned = _unmanned(node, facts)
    if ready is None:
        return Verdict("isn't ready", because=("Nothing has been heard of it yet.", *unmanned, *notes))
    since = facts.past(ready.get("lastTransitionTime"))
    age = f" for {human_duration(facts.now - since)}" if since is not None else ""
    unheard = "Its agent hasn't been heard of: it is down, or cut off." if ready.get("status") == "Unknown" else ""
    made_to = made_to or (unmanned if unheard else ())
    why = unheard or _without_network(node, facts) or str(ready.get("message") or ready.get("reason", ""))
    told = [*(made_to or (sentence(why),)), *filter(None, (leaving(node, facts),))]
    others = _tainted(node, facts.dialect, *_of_unready(facts.dialect))
    return Verdict(f"isn't ready{age}", because=(*told, *notes, *others, *map(in_words, pressed)), then=until)


def _unmanned(node: Object, facts: Facts) -> tuple[str, ...]:
    """That no simulated machine is behind a node, and how one comes in its place."""
    if not is_unmanned(facts) or "nodes" in controllers_off(facts):
        return ()
    name = name_of(node)
    commands = f"svcsim delete node {name}{facts.way}; svcsim nodes add {name}{facts.way}"
    return (
        "No simulated node is behind it, and no stage is about it: unless somebody else reports how it is, nothing becomes of it.",
        f"To have a simulated node in its place: {commands}. Stages keep such nodes in a cluster that is started with --stages node-fast.",
    )


def explain_lost_node(node: Object, facts: Facts) -> Verdict:
    """A node that no longer exists, by what is known of its machine."""
    state = "isn't there any more"
    failure = failure_of(facts)
    if failure is not None:
        made_to, until = _failed(node, failure, facts)
        return Verdict(state, because=(*made_to, "Its machine makes itself a Node again when it recovers."), then=until)
    if not has_lost_its_node(facts):
        return Verdict(state)
    again = " and ".join(f"svcsim nodes {does} {name_of(node)}{facts.way}" for does in ("fail", "recover"))
    return Verdict(state, because=(f"Its machine is still there, and makes itself a Node only when it starts again: {again}.",))


def taints_left(node: Object, dialect: Dialect) -> list[str]:
    """The taints, by their keys, of a node that is ready that say that it isn't."""
    of_unready = _of_unready(dialect)
    found = dict.fromkeys(taint.key for taint in taints_of(node) if taint.key in of_unready)
    return list(found) if condition_is(node, "Ready") and not condition_is(node, "NetworkUnavailable") else []


def _of_unready(dialect: Dialect) -> list[str]:
    return [dialect.key(name, "node") for name in _OF_UNREADY]


def _tainted(node: Object, dialect: Dialect, *besides: str) -> list[str]:
    """What its taints do to pods, except for the one of a cordon, and others that are reported already."""
    taints = [taint for taint in taints_of(node) if taint.key not in {dialect.key("unschedulable", "node"), *besides}]
    return [f"Its taint {_taint(taint)} {_DOES.get(taint.effect, 'says nothing that is known')}." for taint in taints]


def _taint(taint: Taint) -> str:
    return f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}"


def is_unheard_of(node: Object) -> bool:
    """Whether its agent hasn't been heard of for a while, or ever: the statuses of its pods are out of date."""
    return condition_is(node, "Ready", "Unknown") or condition(node, "Ready") is None


def _failed(node: Object, failure: Object, facts: Facts) -> tuple[tuple[str, ...], tuple[Coming, ...]]:
    """What is to be said of a node whose machine has been made to fail, and when it recovers."""
    if "fault" in failure:
        return ("A fault of a scenario has it down, until that ends.",), ()
    recover = f"svcsim nodes recover {name_of(node)}{facts.way}"
    if "until" not in failure:
        return (f"Somebody has made it fail (svcsim nodes fail), and it stays down until somebody has it recover: {recover}.",), ()
    made_to = f"Somebody has made it fail for a while (svcsim nodes fail --for). To have it recover at once: {recover}."
    return (made_to,), (Coming("it recovers by itself", parse_time(failure["until"])),)


def _without_network(node: Object, facts: Facts) -> str:
    """What is to be said of a node whose pods can't get addresses, because it hasn't been given any to give away."""
    message = str((condition(node, "Ready") or {}).get("message", ""))
    if "NetworkPluginNotReady" not in message or get_path(node, "spec.podCIDR"):
        return ""
    if facts.event("CIDRNotAvailable"):
        return "Its pods can get no addresses: what nodes get their networks from (--cluster-cidr) has none left for it"
    return "Its pods can get no addresses: it hasn't been given a network for them (spec.podCIDR)"


def _explain_namespace(namespace: Object, _facts: Facts) -> Verdict:
    if get_path(namespace, "status.phase") != "Terminating":
        return Verdict("is active", fine=True)
    return Verdict("is being deleted", because=remains(namespace))


def remains(namespace: Object) -> tuple[str, ...]:
    """What is left in a namespace that is being emptied."""
    return tuple(
        sentence(str(one.get("message", "")))
        for one in get_path(namespace, "status.conditions") or ()
        if one.get("status") == "True" and one.get("message")
    )


def _nothing(_obj: Object, _dialect: Dialect) -> tuple[()]:
    return ()


NODE = Explainer(_explain_node, wanted_of_zones)
NAMESPACE = Explainer(_explain_namespace, _nothing)
