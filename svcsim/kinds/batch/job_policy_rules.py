"""What makes the policies of a job right: what is done about pods that fail, and when enough of them have succeeded."""

from collections.abc import Iterator

from svcsim.kinds.batch.indexes import IndexesError, count_of, parse_indexes
from svcsim.kinds.shared.checks import not_negative
from svcsim.meta.errors import FieldError, duplicate, invalid_part, invalid_value, required, too_long, too_many, unsupported
from svcsim.meta.names import qualified_name
from svcsim.meta.types import Json, Object

_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS = ("In", "NotIn")
_STATUSES = ("False", "True", "Unknown")
_RULES = 20
_EXIT_CODES = 255
_CONDITIONS = 20
_INDEXES_BYTES = 64 * 1024


def pod_failure_policy_rules(spec: Json, path: str) -> Iterator[FieldError]:
    if (policy := spec.get("podFailurePolicy")) is None:
        return
    rules, where = policy.get("rules") or (), f"{path}.podFailurePolicy.rules"
    if len(rules) > _RULES:
        yield too_many(where, len(rules), _RULES)
    pod = spec["template"].get("spec") or {}
    containers = [container.get("name") for part in ("containers", "initContainers") for container in pod.get(part) or ()]
    for index, rule in enumerate(rules):
        yield from _failure_rule(rule, f"{where}[{index}]", containers, per_index=spec.get("backoffLimitPerIndex") is not None)


def _failure_rule(rule: Object, path: str, containers: list[str], *, per_index: bool) -> Iterator[FieldError]:
    action, codes, conditions = rule.get("action") or "", rule.get("onExitCodes"), rule.get("onPodConditions") or []
    if action == "FailIndex" and not per_index:
        yield invalid_value(f"{path}.action", action, "requires the backoffLimitPerIndex to be set")
    yield from _word(action, f"{path}.action", _ACTIONS)
    if codes is not None:
        yield from _exit_codes(codes, f"{path}.onExitCodes", containers)
    yield from _conditions(conditions, f"{path}.onPodConditions")
    if codes is not None and conditions:
        yield invalid_part(path, "specifying both OnExitCodes and OnPodConditions is not supported")
    if codes is None and not conditions:
        yield invalid_part(path, "specifying one of OnExitCodes and OnPodConditions is required")


def _word(word: str, path: str, options: tuple[str, ...]) -> Iterator[FieldError]:
    if not word:
        listed = " ".join(f'"{option}"' for option in options)
        yield required(path, f"valid values: [{listed}]")
    elif word not in options:
        yield unsupported(path, word, options)


def _conditions(conditions: list[Object], path: str) -> Iterator[FieldError]:
    if len(conditions) > _CONDITIONS:
        yield too_many(path, len(conditions), _CONDITIONS)
    for index, pattern in enumerate(conditions):
        kind = pattern.get("type") or ""
        yield from (invalid_value(f"{path}[{index}].type", kind, finding) for finding in qualified_name(kind))
        yield from _word(pattern.get("status") or "", f"{path}[{index}].status", _STATUSES)


def _exit_codes(codes: Object, path: str, containers: list[str]) -> Iterator[FieldError]:
    operator, name, values = codes.get("operator") or "", codes.get("containerName"), codes.get("values") or []
    yield from _word(operator, f"{path}.operator", _OPERATORS)
    if name is not None and name not in containers:
        yield invalid_value(f"{path}.containerName", name, "must be one of the container or initContainer names in the pod template")
    if not values:
        yield invalid_value(f"{path}.values", values, "at least one value is required")
    elif len(values) > _EXIT_CODES:
        yield too_many(f"{path}.values", len(values), _EXIT_CODES)
    seen: set[int] = set()
    for index, code in enumerate(values):
        if operator == "In" and code == 0:
            yield invalid_value(f"{path}.values[{index}]", code, "must not be 0 for the In operator")
        if code in seen:
            yield duplicate(f"{path}.values[{index}]", code)
        seen.add(code)
    if values != sorted(values):
        yield invalid_value(f"{path}.values", values, "must be ordered")


def success_policy_rules(spec: Json, path: str) -> Iterator[FieldError]:
    if (policy := spec.get("successPolicy")) is None or spec.get("completionMode") != "Indexed":
        return
    rules, where = policy.get("rules") or (), f"{path}.successPolicy.rules"
    if not rules:
        yield required(where, "at least one rules must be specified when the successPolicy is specified")
    if len(rules) > _RULES:
        yield too_many(where, len(rules), _RULES)
    for index, rule in enumerate(rules):
        yield from _success_rule(rule, f"{where}[{index}]", spec.get("completions") or 0)


def _success_rule(rule: Object, path: str, completions: int) -> Iterator[FieldError]:
    indexes, count = rule.get("succeededIndexes"), rule.get("succeededCount")
    if indexes is None and count is None:
        yield required(path, "at least one of succeededCount or succeededIndexes must be specified")
    total = 0
    if indexes is not None:
        where = f"{path}.succeededIndexes"
        if len(indexes) > _INDEXES_BYTES:
            yield too_long(where, _INDEXES_BYTES)
        try:
            total = count_of(parse_indexes(indexes, completions))
        except IndexesError as error:
            yield invalid_value(where, indexes, f"error parsing succeededIndexes: {error}")
    if count is None:
        return
    where, most = f"{path}.succeededCount", "must be less than or equal to"
    yield from not_negative(count, where)
    if count > completions:
        yield invalid_value(where, count, f"{most} {completions} (the number of specified completions)")
    if indexes is not None and count > total:
        yield invalid_value(where, count, f"{most} {total} (the number of indexes in the specified succeededIndexes field)")
