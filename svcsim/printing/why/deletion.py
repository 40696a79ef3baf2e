"""Objects on their way out: what holds them."""

from collections.abc import Iterable

from svcsim.dialect import Dialect
from svcsim.meta.objects import condition_is, finalizers_of, get_path, metadata_of, name_of
from svcsim.meta.pods import deletion_asked_at, is_finished, node_of
from svcsim.meta.times import human_duration, parse_time
from svcsim.meta.types import Object
from svcsim.printing.why.conditions import taken_away
from svcsim.printing.why.known import failure_of, is_ended_by_node
from svcsim.printing.why.places import remains
from svcsim.printing.why.verdict import Coming, Facts, Verdict

FOREGROUND = "foregroundDeletion"
LEFT = "left"
"""Under this name the facts have what an object waits for: what it owns, or what is in it."""


def explain_deletion(obj: Object, facts: Facts) -> Verdict:
    """An object that is being deleted, whatever kind it is."""
    metadata = metadata_of(obj)
    since = facts.now - parse_time(metadata["deletionTimestamp"])
    grace_s = metadata.get("deletionGracePeriodSeconds") or 0
    asked = deletion_asked_at(obj)
    asked_s = 0.0 if asked is None else facts.now - asked
    state = f"is being deleted, since {human_duration(asked_s)}" if asked_s >= 1 else "is being deleted"
    because = [*taken_away(obj), *(_held(finalizer, obj, facts.dialect) for finalizer in finalizers_of(obj))]
    then: list[Coming] = []
    if obj.get("kind") == "Pod" and node_of(obj) and grace_s and not is_finished(obj) and is_ended_by_node(facts):
        because.append(f"Its containers have {grace_s}s to end.")
        if since < 0:
            then.append(Coming("they are killed, if they are still there", facts.now - since))
        else:
            because.append(f"That was over {human_duration(since)} ago: its node {node_of(obj)} hasn't said that it is gone.")
    if obj.get("kind") == "Namespace":
        others = [name for name in get_path(obj, "spec.finalizers") or () if name != facts.dialect.namespace_finalizer]
        because += [_held_in_spec(finalizer, obj) for finalizer in others]
        because += remains(obj)
        if not because and facts.dialect.namespace_finalizer in (get_path(obj, "spec.finalizers") or ()):
            because.append(
                f"The namespace controller, if there is one, has to take the finalizer {facts.dialect.namespace_finalizer} off it."
            )
    below = [*facts.all(LEFT), *_users(obj, facts), *_silent_node(obj, facts)]
    if not because and is_ended_by_node(facts):
        because.append("Nothing holds it: it is gone in a moment.")
    return Verdict(state, because=tuple(because), then=tuple(then), below=tuple(below))


def _held(finalizer: str, obj: Object, dialect: Dialect) -> str:
    words = {
        FOREGROUND: "it waits until what it owns is gone",
        "orphan": "the garbage collector has to take it out of what it owns, which stays",
        dialect.key("pvc-protection"): "it waits until no pod uses it any more",
        dialect.key("pv-protection"): "it waits until no claim is bound to it any more",
        dialect.key("job-tracking", "batch"): "its Job has to count it first",
        dialect.key("load-balancer-cleanup", "service"): "its load balancer has to be taken down first",
        f"customresourcecleanup.{dialect.group('apiextensions')}": "all its custom resources have to go first",
    }
    known = words.get(finalizer)
    if known:
        return f"The finalizer {finalizer} holds it: {known}."
    manager = _who_set(finalizer, obj)
    by = f", set by {manager}," if manager else ""
    return f"The finalizer {finalizer}{by} holds it: whoever that is for has to do its work and take it off."


def _held_in_spec(finalizer: str, namespace: Object) -> str:
    """A namespace's second list of finalizers can be changed in one place alone."""
    where = f"/api/v1/namespaces/{name_of(namespace)}/finalize"
    return f"The finalizer {finalizer} in spec.finalizers holds it: whoever that is for has to do its work and take it off, by {where}."


def _who_set(finalizer: str, obj: Object) -> str:
    """The manager of the fields who put a finalizer there, as far as that is recorded."""
    for entry in metadata_of(obj).get("managedFields") or ():
        fields = get_path(entry, "fieldsV1")
        held = ((fields or {}).get("f:metadata") or {}).get("f:finalizers") or {}
        if f'v:"{finalizer}"' in held:
            return str(entry.get("manager", ""))
    return ""


def _silent_node(obj: Object, facts: Facts) -> Iterable[Object]:
    """The node of a pod that can't end it, because it isn't there to hear of that."""
    node = facts.one("node") if obj.get("kind") == "Pod" else None
    return () if node is None or (condition_is(node, "Ready") and failure_of(facts) is None) else (node,)


def _users(claim: Object, facts: Facts) -> Iterable[Object]:
    """The pods that use a claim."""
    if claim.get("kind") != "PersistentVolumeClaim":
        return ()
    return [
        pod
        for pod in facts.all("pods")
        if any(get_path(volume, "persistentVolumeClaim.claimName") == name_of(claim) for volume in get_path(pod, "spec.volumes") or ())
    ]
