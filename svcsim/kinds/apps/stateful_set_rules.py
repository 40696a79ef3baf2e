"""What makes a StatefulSet right, and what may change of it.

Its template isn't looked at as those of other workloads are: the volumes that its containers mount may come from claims, which are not
among the template's own. Whether a pod can be made of it is seen when one is made.
"""

from collections.abc import Iterator

from svcsim.kinds.shared.amounts import amount, at_most_all, number_or_percentage
from svcsim.kinds.shared.checks import not_negative
from svcsim.kinds.shared.pod_spec.template_rules import template_metadata_rules
from svcsim.kinds.shared.volume_claim_rules import claim_warnings
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value
from svcsim.meta.objects import get_path
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_CHANGEABLE = (
    *("replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit"),
    *("persistentVolumeClaimRetentionPolicy", "minReadySeconds"),
)


def pod_management_policy(value: Json, path: str) -> Iterator[FieldError]:
    if value not in ("OrderedReady", "Parallel"):
        yield invalid_value(path, value, "must be 'OrderedReady' or 'Parallel'")


def update_strategy_rules(strategy: Json, path: str) -> Iterator[FieldError]:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind == "OnDelete":
        if rolling is not None:
            yield invalid_value(f"{path}.rollingUpdate", rolling, "only allowed for updateStrategy 'RollingUpdate'")
    elif kind == "RollingUpdate":
        yield from _rolling_update_rules(rolling or {}, f"{path}.rollingUpdate")
    else:
        yield invalid_value(path, {"Type": kind, "RollingUpdate": rolling}, "must be 'RollingUpdate' or 'OnDelete'")


def _rolling_update_rules(rolling: Object, path: str) -> Iterator[FieldError]:
    yield from not_negative(rolling.get("partition") or 0, f"{path}.partition")
    unavailable, where = rolling.get("maxUnavailable"), f"{path}.maxUnavailable"
    if unavailable is not None:
        yield from number_or_percentage(unavailable, where)
        if amount(unavailable) == 0:
            yield invalid_value(where, unavailable, "cannot be 0")
        yield from at_most_all(unavailable, where)


def stateful_set_template_rules(spec: Json, path: str) -> Iterator[FieldError]:
    yield from template_metadata_rules(spec.get("template") or {}, f"{path}.template")


def stateful_set_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """What the pods that are there were made by stays as it is."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    if any(not same_json(spec.get(name), before.get(name)) for name in {**spec, **before} if name not in _CHANGEABLE):
        names = ", ".join(f"'{name}'" for name in _CHANGEABLE[:-1])
        detail = f"updates to statefulset spec for fields other than {names} and '{_CHANGEABLE[-1]}' are forbidden"
        yield forbidden_field("spec", detail)


def claim_template_warnings(stateful_set: Object) -> Iterator[str]:
    for index, template in enumerate(get_path(stateful_set, "spec.volumeClaimTemplates") or ()):
        yield from claim_warnings(template.get("spec") or {}, f"spec.volumeClaimTemplates[{index}].spec")


def negative_history(stateful_set: Object) -> Iterator[str]:
    if (get_path(stateful_set, "spec.revisionHistoryLimit") or 0) < 0:
        yield "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
