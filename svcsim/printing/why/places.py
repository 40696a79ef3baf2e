"""Nodes and namespaces: what others are in."""

from svcsim.dialect import Dialect
from svcsim.meta.objects import condition, get_path
from svcsim.meta.times import human_duration, parse_time
from svcsim.meta.types import Object
from svcsim.printing.why.conditions import in_words
from svcsim.printing.why.verdict import Explainer, Facts, Verdict, sentence

_PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")


def _explain_node(node: Object, facts: Facts) -> Verdict:
    ready = condition(node, "Ready")
    cordoned = bool(get_path(node, "spec.unschedulable"))
    notes = ["It is cordoned: pods that are there stay, and no others come."] if cordoned else []
    pressed = [found for kind in _PRESSURES if (found := condition(node, kind)) is not None and found.get("status") == "True"]
    if ready is not None and ready.get("status") == "True":
        state = "is ready" + (", and cordoned" if cordoned else "")
        return Verdict(state, fine=not pressed, because=(*notes, *map(in_words, pressed)))
    if ready is None:
        return Verdict("isn't ready", because=("Nothing has been heard of it yet.", *notes))
    since = ready.get("lastTransitionTime")
    age = f" for {human_duration(facts.now - parse_time(since))}" if since else ""
    unheard = "Its agent hasn't been heard of: it is down, or cut off." if ready.get("status") == "Unknown" else ""
    taints = [one for one in get_path(node, "spec.taints") or () if one.get("effect") == "NoExecute"]
    leaving = "Pods that don't tolerate that, or have for as long as they do, are evicted." if taints else ""
    why = unheard or _without_network(node, facts) or str(ready.get("message") or ready.get("reason", ""))
    told = [sentence(why), *([leaving] if leaving else [])]
    return Verdict(f"isn't ready{age}", because=(*told, *notes, *map(in_words, pressed)))


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


NODE = Explainer(_explain_node, _nothing)
NAMESPACE = Explainer(_explain_namespace, _nothing)
