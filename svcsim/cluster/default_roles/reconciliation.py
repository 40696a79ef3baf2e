"""Having the default roles and bindings as they should be, at every start.

What is missing is made; a role that lacks rules, or a binding that lacks subjects, gets them. What somebody added stays. One that bears the
annotation ``autoupdate: "false"`` is left alone, whatever it lacks.
"""

import asyncio
from collections.abc import Iterable

from svcsim.auth.rbac.covering import rules_of, uncovered
from svcsim.client.api import Client, Collection
from svcsim.cluster.default_roles.objects import Default
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.registry.lister import Listers


async def reconcile_roles(client: Client, listers: Listers, dialect: Dialect, defaults: Iterable[Default]) -> None:
    """Write what differs, all of it at once so that writes share commits."""
    group = dialect.group("rbac.authorization")
    opt_out = dialect.key("autoupdate", "rbac.authorization")

    async def have(plural: str, wanted: Object) -> None:
        metadata = wanted["metadata"]
        api = client.resource(f"{group}/v1", plural, metadata.get("namespace", ""))
        present = listers.of(f"{plural}.{group}").get(metadata.get("namespace", ""), metadata["name"])
        try:
            if present is None:
                await api.hand_over(wanted)
            elif present["metadata"].get("annotations", {}).get(opt_out) != "false":
                await _bring_up_to_date(api, present, wanted)
        except StatusError as error:
            if error.reason not in ("AlreadyExists", "Conflict"):  # somebody was quicker: the next start looks again
                raise

    await asyncio.gather(*(have(plural, wanted) for plural, wanted in defaults))


async def _bring_up_to_date(api: Collection, present: Object, wanted: Object) -> None:
    """Add what is missing, and write it if anything is."""
    if "roleRef" in wanted and present["roleRef"] != wanted["roleRef"]:
        await api.delete(present["metadata"]["name"])  # what a binding binds to can't be changed
        await api.create(wanted)
        return
    changes = _described(present["metadata"], wanted["metadata"])
    changes |= _bound(present, wanted) if "roleRef" in wanted else _allowed(present, wanted)
    if changes:
        await api.update({**await api.get(present["metadata"]["name"]), **changes})


def _described(present: Object, wanted: Object) -> Object:
    """The metadata with labels and annotations that are missing; what is there wins. Empty where nothing is missing."""
    lacking = {}
    for name in ("labels", "annotations"):
        there = present.get(name) or {}
        if any(key not in there for key in wanted[name]):
            lacking[name] = {**wanted[name], **there}
    return {"metadata": {**present, **lacking}} if lacking else {}


def _bound(present: Object, wanted: Object) -> Object:
    there = present.get("subjects") or []
    missing = [subject for subject in wanted.get("subjects") or () if subject not in there]
    return {"subjects": [*there, *missing]} if missing else {}


def _allowed(present: Object, wanted: Object) -> Object:
    """A role that gathers rules needs to know whose; the rules are its controller's."""
    if "aggregationRule" in wanted:
        there = (present.get("aggregationRule") or {}).get("clusterRoleSelectors") or []
        missing = [one for one in wanted["aggregationRule"]["clusterRoleSelectors"] if one not in there]
        return {"aggregationRule": {"clusterRoleSelectors": [*there, *missing]}} if missing else {}
    if present.get("rules") == wanted["rules"]:
        return {}
    rights = [right.as_rule() for right in uncovered(rules_of(present), wanted)]
    return {"rules": [*(present.get("rules") or ()), *rights]} if rights else {}
