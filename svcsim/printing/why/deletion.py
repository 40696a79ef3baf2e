"""Objects on their way out: what holds them."""

from collections.abc import Iterable

from svcsim.dialect import plain_group
from svcsim.meta.objects import finalizers_of, get_path, gvk_of, metadata_of, name_of, namespace_of
from svcsim.meta.pods import deletion_asked_at, is_finished, node_of
from svcsim.meta.times import human_duration
from svcsim.meta.types import Object
from svcsim.printing.why.conditions import BY_CONDITIONS, in_words, is_bad, taken_away
from svcsim.printing.why.finalizers import LEFT, held, holders
from svcsim.printing.why.kinds import explainer_of
from svcsim.printing.why.known import failure_of, grace_over_at, is_ended_by_node
from svcsim.printing.why.places import is_unheard_of, remains
from svcsim.printing.why.verdict import Coming, Facts, Verdict, sentence


def explain_deletion(obj: Object, facts: Facts) -> Verdict:
    """An object that is being deleted, whatever kind it is."""
    metadata = metadata_of(obj)
    grace_s = metadata.get("deletionGracePeriodSeconds") or 0
    asked = deletion_asked_at(obj)
    asked_s = 0.0 if asked is None else facts.now - asked
    state = f"is being deleted, since {human_duration(asked_s)}" if asked_s >= 1 else "is being deleted"
    because = [*taken_away(obj), *(held(finalizer, obj, facts) for finalizer in finalizers_of(obj)), *_by_itself(obj)]
    then: list[Coming] = []
    if obj.get("kind") == "Pod" and node_of(obj) and grace_s and not is_finished(obj) and is_ended_by_node(facts):
        if silent := _silence(obj, facts):
            because.append(silent)
            then.append(Coming(_what_ends_it(obj, facts)))
        else:
            grace_because, grace_then = _grace(obj, facts, grace_s)
            because += grace_because
            then += grace_then
    if obj.get("kind") == "Namespace":
        others = [name for name in get_path(obj, "spec.finalizers") or () if name != facts.dialect.namespace_finalizer]
        because += [_held_in_spec(finalizer, obj) for finalizer in others]
        because += remains(obj)
        if not because and facts.dialect.namespace_finalizer in (get_path(obj, "spec.finalizers") or ()):
            because.append(
                f"The namespace controller, if there is one, has to take the finalizer {facts.dialect.namespace_finalizer} off it."
            )
    left = facts.all(LEFT) if obj.get("kind") == "Namespace" else []
    below = [*left, *holders(obj, facts), *_silent_node(obj, facts)]
    if not because and is_ended_by_node(facts):
        because.append("Nothing holds it: it is gone in a moment.")
    return Verdict(state, because=tuple(because), then=tuple(then), below=tuple(below))


def _grace(pod: Object, facts: Facts, grace_s: int) -> tuple[list[str], list[Coming]]:
    """How long the containers of a pod have to end, as its node reckons that: from when it has heard of it."""
    over_at = grace_over_at(pod, facts)
    if over_at is None:
        return [f"Its node {node_of(pod)} hasn't come to it yet; from then on, its containers have {grace_s}s to end."], []
    because, left_s = [f"Its containers have {grace_s}s to end."], over_at - facts.now
    if left_s > 0:
        return because, [Coming("if they are still there, they are killed", over_at)]
    return [*because, f"That was over {human_duration(-left_s)} ago: its node {node_of(pod)} hasn't said that it is gone."], []


def _held_in_spec(finalizer: str, namespace: Object) -> str:
    """A namespace's second list of finalizers can be changed in one place alone."""
    where = f"/api/v1/namespaces/{name_of(namespace)}/finalize"
    return f"The finalizer {finalizer} in spec.finalizers holds it: whoever that is for has to do its work and take it off, by {where}."


def _silent_node(obj: Object, facts: Facts) -> Iterable[Object]:
    """The node of a pod that can't end it, because it isn't there to hear of that."""
    node = facts.one("node") if obj.get("kind") == "Pod" else None
    return () if node is None or not _is_silent(node, facts) else (node,)


def _is_silent(node: Object, facts: Facts) -> bool:
    return is_unheard_of(node) or failure_of(facts) is not None


def _silence(pod: Object, facts: Facts) -> str:
    """That a pod's node can't end it, in a sentence; empty where it can."""
    if facts.is_missing("node"):
        return f"Its node {node_of(pod)} isn't there any more: nobody ends its containers, nor says that they have ended."
    node = facts.one("node")
    if node is None or not _is_silent(node, facts):
        return ""
    return f"Its node {node_of(pod)} doesn't answer: nobody there ends its containers, nor says that they have ended."


def _what_ends_it(pod: Object, facts: Facts) -> str:
    """What can make a pod go whose node can't end it."""
    if facts.is_missing("node"):
        return "the pod garbage collector takes it away, as it does with pods of nodes that are gone"
    taint = facts.dialect.key("out-of-service", "node")
    forced = f"svcsim delete pod {name_of(pod)} -n {namespace_of(pod)} --grace-period=0 --force{facts.way}"
    return (
        "it goes once its node is back, or the Node is deleted, or has the taint "
        f"{taint} because it is known to be shut down; or by force: {forced}"
    )


def _by_itself(obj: Object) -> list[str]:
    """What an object says itself of why it is still there, where its conditions are all there is to explain it by."""
    if detaching := get_path(obj, "status.detachError.message"):
        return [sentence(f"Detaching it failed: {detaching}")]
    if explainer_of(plain_group(gvk_of(obj).group), gvk_of(obj).kind) is not BY_CONDITIONS:
        return []
    conditions = get_path(obj, "status.conditions")
    listed = conditions if isinstance(conditions, list) else []
    return [in_words(one) for one in listed if isinstance(one, dict) and is_bad(one)]
