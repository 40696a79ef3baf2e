"""What keeps pods: Deployments, ReplicaSets, ReplicationControllers, StatefulSets and DaemonSets, down to the pods that aren't ready."""

from svcsim.controllers.statefulset.snapshot import revision_of_pod
from svcsim.dialect import Dialect
from svcsim.meta.objects import condition, get_path, metadata_of, name_of, namespace_of
from svcsim.meta.pods import available_in, is_active, is_ready
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.printing.describe.revisions import new_replica_set
from svcsim.printing.texts import selector_text
from svcsim.printing.why.conditions import unseen
from svcsim.printing.why.verdict import Coming, Explainer, Facts, Verdict, Wanted, controlled, counted, do, sentence

_IN_ORDER = "Its pods come one after the other: the next waits until the last has been ready for minReadySeconds."


def pods_wanted(workload: Object, _dialect: Dialect) -> list[Wanted]:
    """The pods that a workload's selector matches."""
    return [Wanted("pods", f"/api/v1/namespaces/{namespace_of(workload)}/pods", {"labelSelector": _selector(workload)})]


def _selector(workload: Object) -> str:
    selector = (workload.get("spec") or {}).get("selector") or {}
    return selector_text(selector if "matchLabels" in selector or "matchExpressions" in selector else {"matchLabels": selector})


def unready_pods(workload: Object, facts: Facts) -> list[Object]:
    """Those that it controls and that aren't ready."""
    return [pod for pod in controlled(facts.all("pods"), workload) if not is_ready(pod) and _counts(pod)]


def _counts(pod: Object) -> bool:
    return is_active(pod) or bool(metadata_of(pod).get("deletionTimestamp"))


def _failure(workload: Object, facts: Facts) -> tuple[str, ...]:
    """Why pods can't be made."""
    found = condition(workload, "ReplicaFailure")
    message = str(found.get("message", "")) if found is not None and found.get("status") == "True" else ""
    message = message or ("" if found is not None else facts.event("FailedCreate", until=("SuccessfulCreate",)))
    return (sentence(f"Pods can't be made: {message}"),) if message else ()


def _wanted_replicas(workload: Object) -> int:
    return int(get_path(workload, "spec.replicas", 1))


def _count(workload: Object, field: str) -> int:
    return int(get_path(workload, f"status.{field}", 0) or 0)


def _has_template(updated: int, wanted: int, *, by_hand: bool = False) -> str:
    """How far an update has got."""
    others = "; others get it when they are deleted (OnDelete)" if by_hand else " so far"
    return f"{counted(updated, 'pod')} of {wanted} {do(updated, 'has', 'have')} its present template{others}."


# --- Deployments ---


def _sets_wanted(deployment: Object, _dialect: Dialect) -> list[Wanted]:
    path = f"/apis/apps/v1/namespaces/{namespace_of(deployment)}/replicasets"
    return [Wanted("sets", path, {"labelSelector": _selector(deployment)})]


def _explain_deployment(deployment: Object, facts: Facts) -> Verdict:
    wanted = _wanted_replicas(deployment)
    available, updated = _count(deployment, "availableReplicas"), _count(deployment, "updatedReplicas")
    how = f"{available} of {counted(wanted, 'replica')} available"
    if behind := unseen(deployment):
        return Verdict(f"waits for its controller, with {how}", because=behind)
    complete = available >= wanted and updated >= wanted and _count(deployment, "replicas") == wanted
    paused = bool(get_path(deployment, "spec.paused"))
    if complete:
        state = f"has {how}, all of its present template" if wanted else "is scaled to zero"
        return Verdict(state + (", and is paused" if paused else ""), fine=True)
    progressing = condition(deployment, "Progressing") or {}
    because: list[str] = []
    sets = controlled(facts.all("sets"), deployment)
    if paused:
        what = "replaced by one of" if sets or "sets" not in facts.found else "made from"
        because.append(f"It is paused (spec.paused), so no pod is {what} its present template: rollout resume lets it go on.")
    state = "isn't fully available" if available < wanted else "is being rolled out"
    if progressing.get("reason") == "ProgressDeadlineExceeded":
        state = "makes no progress"
    more = _count(deployment, "replicas") - wanted
    if available >= wanted and more > 0:
        because.append(f"{counted(more, 'pod')} more than wanted {do(more, 'is', 'are')} still there.")
    if updated < wanted:
        because.append(f"{counted(updated, 'replica')} of {wanted} {do(updated, 'is', 'are')} of its present template.")
    if "sets" in facts.found and not sets:
        because.append("It has no ReplicaSet yet.")
    newest = new_replica_set(deployment, sets) if sets else None
    lacking = [one for one in sets if _count(one, "availableReplicas") < max(_wanted_replicas(one), _count(one, "replicas"))]
    because += _failure(deployment, facts) if not lacking else ()
    return Verdict(
        f"{state}: it has {how}",
        because=tuple(because),
        then=_progress_deadline(deployment, progressing) if not paused else (),
        below=tuple(sorted(lacking, key=lambda one: one is not newest)),
    )


def _progress_deadline(deployment: Object, progressing: Object) -> tuple[Coming, ...]:
    longest_s, since = get_path(deployment, "spec.progressDeadlineSeconds", 600), progressing.get("lastUpdateTime")
    if progressing.get("status") != "True" or progressing.get("reason") == "NewReplicaSetAvailable" or not since:
        return ()
    return (Coming("unless it makes progress, it counts as stuck", parse_time(since) + longest_s),)


# --- ReplicaSets and ReplicationControllers ---


def _explain_set(one: Object, facts: Facts) -> Verdict:
    wanted, present, ready = _wanted_replicas(one), _count(one, "replicas"), _count(one, "readyReplicas")
    how = f"has {ready} of {counted(wanted, 'pod')} ready"
    if behind := unseen(one):
        return Verdict(f"waits for its controller, and {how}", because=behind)
    if ready >= wanted == present:
        return _becoming_available(one, facts) or Verdict(how if wanted else "is scaled to zero", fine=True)
    because = list(_failure(one, facts))
    if present > wanted:
        because.append(f"{counted(present - wanted, 'pod')} more than wanted {do(present - wanted, 'is', 'are')} still there.")
    return Verdict(how, because=tuple(because), below=tuple(unready_pods(one, facts)))


def _becoming_available(one: Object, facts: Facts) -> Verdict | None:
    """Pods count as available only when they have been ready for a while."""
    wanted, available, needs_s = _wanted_replicas(one), _count(one, "availableReplicas"), get_path(one, "spec.minReadySeconds", 0)
    if available >= wanted or not needs_s:
        return None
    since = [
        parse_time(ready["lastTransitionTime"])
        for pod in controlled(facts.all("pods"), one)
        if (ready := condition(pod, "Ready")) is not None and ready.get("status") == "True" and ready.get("lastTransitionTime")
    ]
    at = max(since) + needs_s if since else None
    because = f"Pods count as available once they have been ready for {needs_s}s: {available} of {wanted} have."
    return Verdict("has all its pods ready, and not yet available", because=(because,), then=(Coming("all of them are available", at),))


# --- StatefulSets ---


def _explain_stateful_set(one: Object, facts: Facts) -> Verdict:
    wanted = _wanted_replicas(one)
    present, ready, updated = (_count(one, field) for field in ("replicas", "readyReplicas", "updatedReplicas"))
    how = f"has {ready} of {counted(wanted, 'pod')} ready"
    if behind := unseen(one):
        return Verdict(f"waits for its controller, and {how}", because=behind)
    because = list(_failure(one, facts))
    current, latest = get_path(one, "status.currentRevision"), get_path(one, "status.updateRevision")
    partition = get_path(one, "spec.updateStrategy.rollingUpdate.partition", 0)
    if latest and current != latest and updated < wanted:
        if get_path(one, "spec.updateStrategy.type") == "OnDelete":
            because.append(_has_template(updated, wanted, by_hand=True))
        elif partition and updated >= wanted - partition:
            first = partition + get_path(one, "spec.ordinals.start", 0)
            because.append(f"Pods below number {first} keep their earlier template (partition).")
        else:
            because.append(_has_template(updated, wanted))
    if ready >= wanted == present and not (because and get_path(one, "spec.updateStrategy.type") != "OnDelete" and not partition):
        coming = _becoming_available(one, facts) if not because else None
        return coming or Verdict(how if wanted else "is scaled to zero", fine=True, because=tuple(because))
    unready = sorted(unready_pods(one, facts), key=_ordinal)
    then: tuple[Coming, ...] = ()
    if get_path(one, "spec.podManagementPolicy", "OrderedReady") == "OrderedReady":
        if unready and wanted > 1:
            because.append(f"Its pods come one after the other: no other is made or replaced before {name_of(unready[0])} is ready.")
        elif not unready and present < wanted:
            then = _next_in_order(one, facts)
            because += [_IN_ORDER] if then else []
        unready = unready[:1]
        because += _stuck(one, unready, facts)
    return Verdict(how, because=tuple(because), then=then, below=tuple(unready))


def _next_in_order(one: Object, facts: Facts) -> tuple[Coming, ...]:
    """When the last of its pods counts as available, so that the next is made."""
    needs_s = get_path(one, "spec.minReadySeconds", 0)
    waits_s = [available_in(pod, needs_s, facts.now) for pod in controlled(facts.all("pods"), one)]
    longest_s = max((wait_s for wait_s in waits_s if wait_s is not None), default=0.0)
    return (Coming("the next pod is made", facts.now + longest_s),) if longest_s > 0 else ()


def _stuck(one: Object, unready: list[Object], facts: Facts) -> list[str]:
    """That a pod of an earlier template, which isn't ready, keeps the present one from getting anywhere, as pods are replaced in order."""
    latest = get_path(one, "status.updateRevision")
    first = get_path(one, "spec.updateStrategy.rollingUpdate.partition", 0) + get_path(one, "spec.ordinals.start", 0)
    earlier = [pod for pod in unready if is_active(pod) and _ordinal(pod) >= first and revision_of_pod(pod) != latest]
    if not latest or get_path(one, "spec.updateStrategy.type") == "OnDelete" or not earlier:
        return []
    name = name_of(earlier[0])
    stays = f"The template has been changed since {name} was made, and {name} isn't replaced before it is ready"
    by_hand = f"svcsim delete pod {name} -n {namespace_of(one)}{facts.way}"
    return [f"{stays}: unless it comes to be, it has to be deleted by hand for the present template to be used ({by_hand})."]


def _ordinal(pod: Object) -> int:
    number = name_of(pod).rpartition("-")[2]
    return int(number) if number.isdecimal() else 0


# --- DaemonSets ---


def _explain_daemon_set(one: Object, facts: Facts) -> Verdict:
    wanted, ready, updated = (_count(one, field) for field in ("desiredNumberScheduled", "numberReady", "updatedNumberScheduled"))
    how = f"has {ready} of {counted(wanted, 'pod')} ready, one for each node that fits"
    if behind := unseen(one):
        return Verdict("waits for its controller", because=behind)
    stray = _count(one, "numberMisscheduled")
    where = do(stray, "is on a node", "are on nodes")
    strays = (f"{counted(stray, 'pod')} of it {where} where none would be started now.",) if stray else ()
    if not wanted:
        return Verdict("has no pods: no node fits its selector and tolerations", fine=True, because=strays)
    if ready >= wanted and updated >= wanted:
        return Verdict(how, fine=True, because=strays)
    because = [*_failure(one, facts), *strays]
    if updated < wanted:
        because.append(_has_template(updated, wanted, by_hand=get_path(one, "spec.updateStrategy.type") == "OnDelete"))
    return Verdict(how, because=tuple(because), below=tuple(unready_pods(one, facts)))


DEPLOYMENT = Explainer(_explain_deployment, _sets_wanted)
REPLICA_SET = Explainer(_explain_set, pods_wanted)
STATEFUL_SET = Explainer(_explain_stateful_set, pods_wanted)
DAEMON_SET = Explainer(_explain_daemon_set, pods_wanted)
