"""What makes the spec of a job right: limits that go with its completion mode, and pods that end."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, invalid_value, required, too_long, unsupported
from svcsim.meta.names import domain_prefixed_path
from svcsim.meta.types import Json, Object

_PARALLELISM = 100_000
_FAILED_INDEXES = 100_000
MANY_COMPLETIONS = 100_000
PARALLELISM_OF_MANY = 10_000
_FAILED_INDEXES_OF_MANY = 10_000
_MANAGER_CHARS = 63
_INDEXED = "requires indexed completion mode"


def is_indexed(spec: Object) -> bool:
    return spec.get("completionMode") == "Indexed"


def domain_prefixed(value: Json, path: str) -> Iterator[FieldError]:
    """A controller's name, with a domain before it."""
    yield from domain_prefixed_path(value, path)
    if len(value) > _MANAGER_CHARS:
        yield too_long(path, _MANAGER_CHARS)


def job_spec_rules(spec: Json, path: str) -> Iterator[FieldError]:
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        yield required(f"{path}.backoffLimitPerIndex", "when maxFailedIndexes is specified")
    mode = spec.get("completionMode")
    if mode not in (None, "NonIndexed", "Indexed"):
        yield unsupported(f"{path}.completionMode", mode, ("NonIndexed", "Indexed"))
    if is_indexed(spec):
        yield from _indexed_rules(spec, path)
    elif mode in (None, "NonIndexed"):
        for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if spec.get(name) is not None:
                yield invalid_value(f"{path}.{name}", spec[name], _INDEXED)
        if (policy := spec.get("successPolicy")) is not None:
            yield invalid_value(f"{path}.successPolicy", policy, _INDEXED)
    yield from _replacement_rules(spec, f"{path}.podReplacementPolicy")


def _indexed_rules(spec: Object, path: str) -> Iterator[FieldError]:
    completions, parallelism, failures = (spec.get(name) for name in ("completions", "parallelism", "maxFailedIndexes"))
    if completions is None:
        yield required(f"{path}.completions", "when completion mode is Indexed")
    if parallelism is not None and parallelism > _PARALLELISM:
        detail = f"must be less than or equal to {_PARALLELISM} when completion mode is Indexed"
        yield invalid_value(f"{path}.parallelism", parallelism, detail)
    where = f"{path}.maxFailedIndexes"
    if failures is not None and completions is not None and failures > completions:
        yield invalid_value(where, failures, "must be less than or equal to completions")
    if failures is not None and failures > _FAILED_INDEXES:
        yield invalid_value(where, failures, f"must be less than or equal to {_FAILED_INDEXES}")
    if completions is not None and completions > MANY_COMPLETIONS and spec.get("backoffLimitPerIndex") is not None:
        yield from _rules_of_many(parallelism, failures, path)


def _rules_of_many(parallelism: int | None, failures: int | None, path: str) -> Iterator[FieldError]:
    """So many indexes that their failures have to be few to be told one by one."""
    reason = f"when completions are above {MANY_COMPLETIONS} and used with backoff limit per index"
    if failures is None:
        yield required(f"{path}.maxFailedIndexes", f"must be specified when completions is above {MANY_COMPLETIONS}")
    if parallelism is not None and parallelism > PARALLELISM_OF_MANY:
        yield invalid_value(f"{path}.parallelism", parallelism, f"must be less than or equal to {PARALLELISM_OF_MANY} {reason}")
    if failures is not None and failures > _FAILED_INDEXES_OF_MANY:
        yield invalid_value(f"{path}.maxFailedIndexes", failures, f"must be less than or equal to {_FAILED_INDEXES_OF_MANY} {reason}")


def _replacement_rules(spec: Object, path: str) -> Iterator[FieldError]:
    policy = spec.get("podReplacementPolicy")
    options = ("Failed",) if spec.get("podFailurePolicy") is not None else ("Failed", "TerminatingOrFailed")
    if policy is not None and policy not in options:
        yield unsupported(path, policy, options)


def pods_end(spec: Json, path: str) -> Iterator[FieldError]:
    """The pods of a job come to an end."""
    policy, where = (spec["template"].get("spec") or {}).get("restartPolicy"), f"{path}.template.spec.restartPolicy"
    if policy in (None, "Always"):
        yield required(where, 'valid values: "OnFailure", "Never"')
    elif policy not in ("OnFailure", "Never"):
        yield unsupported(where, policy, ("OnFailure", "Never"))
    elif spec.get("podFailurePolicy") is not None and policy != "Never":
        yield invalid_value(where, policy, 'only "Never" is supported when podFailurePolicy is specified')
