"""Who could see what nodes say because it is written: onlookers, and webhooks and policies, which are asked about each write.

Nodes write it as it comes while there is one that could be asked, which may refuse it as well. Nobody else can: what nodes may do doesn't
go by roles. Where a Lease was taken away, it is there again with the next renewal.
"""

from collections.abc import Callable, Iterable
from functools import partial

from svcsim.dialect import Dialect
from svcsim.meta.types import Object
from svcsim.nodes.machines.heartbeat import LEASES, NODES, Heartbeat
from svcsim.registry.lister import Lister, Listers
from svcsim.server.requests.onlookers import Behind, Kept
from svcsim.storage.contract import Event, EventType, Store

_ASKED = (
    "validatingwebhookconfigurations",
    "mutatingwebhookconfigurations",
    "validatingadmissionpolicies",
    "mutatingadmissionpolicies",
)
_EVERY = ("*", "UPDATE")
"""Words for what nodes do with what is there already."""


def kept_by_nodes(heartbeat: Callable[[], Heartbeat], dialect: Dialect) -> Kept:
    """What nodes write when somebody is about to see it."""

    def behind(plural: str) -> Behind:
        return Behind(
            lambda name: heartbeat().catch_up(plural, name),
            lambda is_watched: heartbeat().watched(plural, is_watched),
        )

    return {("", NODES): behind(NODES), (dialect.group("coordination"), LEASES): behind(LEASES)}


def heard_of_by_writes(store: Store, listers: Listers, dialect: Dialect, heartbeat: Heartbeat) -> None:
    """Have nodes write what somebody is asked about, and what somebody has taken away."""
    group, coordination = dialect.group("admissionregistration"), dialect.group("coordination")
    known: dict[str, list[Object]] = {}
    for plural in _ASKED:
        lister = listers.of(f"{plural}.{group}")
        lister.on_change(partial(_look, known, plural, lister, coordination, heartbeat))
    store.on_commit(f"leases.{coordination}", partial(_lease_changed, heartbeat))


def _lease_changed(heartbeat: Heartbeat, event: Event) -> None:
    if event.type == EventType.DELETED:
        heartbeat.renew(event.record.key.name)


def _look(known: dict[str, list[Object]], plural: str, lister: Lister, coordination: str, heartbeat: Heartbeat, _changed: object) -> None:
    """See who is asked now. ``known`` are the rules by which that goes, by the type they stand in."""
    known[plural] = [rule for one in lister.list() for rule in _rules(one)]
    rules = [rule for of_type in known.values() for rule in of_type]
    heartbeat.asked_about(LEASES, any(_matches(rule, coordination, ("*", "*/*", "leases", "leases/*")) for rule in rules))
    heartbeat.asked_about(NODES, any(_matches(rule, "", ("*/*", "*/status", "nodes/*", "nodes/status")) for rule in rules))


def _rules(one: Object) -> Iterable[Object]:
    """What a configuration of webhooks, or a policy, is asked about."""
    for webhook in one.get("webhooks") or ():
        yield from webhook.get("rules") or ()
    yield from ((one.get("spec") or {}).get("matchConstraints") or {}).get("resourceRules") or ()


def _matches(rule: Object, group: str, resources: tuple[str, ...]) -> bool:
    return (
        any(one in ("*", group) for one in rule.get("apiGroups") or ())
        and any(one in _EVERY for one in rule.get("operations") or ())
        and any(one in resources for one in rule.get("resources") or ())
    )
