"""Deployments: how far their rollouts have got, down to the ReplicaSets that lack pods."""

from svcsim.dialect import Dialect
from svcsim.meta.objects import condition, get_path, is_terminating, namespace_of
from svcsim.meta.pods import is_finished
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.printing.describe.revisions import new_replica_set
from svcsim.printing.why.attended import unseen
from svcsim.printing.why.replicas import being_deleted, number_of, pods_wanted, selector_of, so_many, wanted_replicas, why_none_made
from svcsim.printing.why.verdict import Coming, Explainer, Facts, Verdict, Wanted, controlled, counted, do


def _wanted(deployment: Object, dialect: Dialect) -> list[Wanted]:
    path = f"/apis/apps/v1/namespaces/{namespace_of(deployment)}/replicasets"
    sets = Wanted("sets", path, {"labelSelector": selector_of(deployment)})
    return [sets, *pods_wanted(deployment, dialect)] if _waits_for_old(deployment) else [sets]


def _waits_for_old(deployment: Object) -> bool:
    """Whether pods of its present template may have to wait until those of earlier ones have ended."""
    lacks = number_of(deployment, "updatedReplicas") < wanted_replicas(deployment)
    return lacks and get_path(deployment, "spec.strategy.type") == "Recreate"


def _explain(deployment: Object, facts: Facts) -> Verdict:
    wanted = wanted_replicas(deployment)
    available, updated = number_of(deployment, "availableReplicas"), number_of(deployment, "updatedReplicas")
    how = so_many(available, wanted, "replica", "available")
    if behind := unseen(deployment):
        return Verdict(f"waits for its controller, with {how}", because=behind)
    complete = available >= wanted and updated >= wanted and number_of(deployment, "replicas") == wanted
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
    more = number_of(deployment, "replicas") - wanted
    if available >= wanted and more > 0:
        because.append(f"{counted(more, 'pod')} more than wanted {do(more, 'is', 'are')} still there.")
    if updated < wanted:
        because.append(f"{counted(updated, 'replica')} of {wanted} {do(updated, 'is', 'are')} of its present template.")
    newest = new_replica_set(deployment, sets) if sets else None
    old = _old_pods(deployment, sets, newest, facts) if not paused else []
    if old:
        left = f" {being_deleted(old)}." if all(map(is_terminating, old)) else ""
        because.append(f"No pod of it is made before all of earlier templates have ended (strategy Recreate).{left}")
    elif "sets" in facts.found and not sets:
        because.append("It has no ReplicaSet yet.")
    lacking = [one for one in sets if number_of(one, "availableReplicas") < max(wanted_replicas(one), number_of(one, "replicas"))]
    because += why_none_made(deployment, facts) if not lacking else ()
    return Verdict(
        f"{state}: it has {how}",
        because=tuple(because),
        then=_progress_deadline(deployment, progressing) if not paused else (),
        below=(*old, *sorted(lacking, key=lambda one: one is not newest)),
    )


def _old_pods(deployment: Object, sets: list[Object], newest: Object | None, facts: Facts) -> list[Object]:
    """The pods of earlier templates that have to end first."""
    if not _waits_for_old(deployment):
        return []
    earlier = [one for one in sets if one is not newest]
    return [pod for one in earlier for pod in controlled(facts.all("pods"), one) if not is_finished(pod)]


def _progress_deadline(deployment: Object, progressing: Object) -> tuple[Coming, ...]:
    longest_s, since = get_path(deployment, "spec.progressDeadlineSeconds", 600), progressing.get("lastUpdateTime")
    if progressing.get("status") != "True" or progressing.get("reason") == "NewReplicaSetAvailable" or not since:
        return ()
    return (Coming("unless it makes progress, it counts as stuck", parse_time(since) + longest_s),)


DEPLOYMENT = Explainer(_explain, _wanted)
