"""What makes a Job right beyond its spec: a selector that is its own; and what may change of it."""

from collections.abc import Iterator

from svcsim.kinds.batch.job_spec_rules import MANY_COMPLETIONS, PARALLELISM_OF_MANY, is_indexed
from svcsim.kinds.batch.job_strategy import CONTROLLER_UID, JOB_NAME, pod_labels
from svcsim.kinds.shared.checks import IMMUTABLE, unchanged
from svcsim.kinds.shared.copied_fields import copy_fields, copy_node_affinity
from svcsim.kinds.shared.workload import selected
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, invalid_value, required
from svcsim.meta.label_selectors import from_object, validate_object
from svcsim.meta.names import dns_label
from svcsim.meta.objects import copy_json, get_path, labels_of, name_of
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

_IMMUTABLE = ("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy")
_WHERE = "spec.template.metadata.labels"


def job_rules(job: Object, context: Context) -> Iterator[FieldError]:
    spec = job["spec"]
    if (selector := spec.get("selector")) is None:
        yield required("spec.selector")
    if selector is None or not validate_object(selector, "spec.selector"):
        yield from selected(selector, spec["template"], "spec.template")
    completions = spec.get("completions") or 0
    last = f"{name_of(job)}-{completions - 1}"
    if is_indexed(spec) and completions > 0 and dns_label(last):
        yield invalid_value("metadata.name", name_of(job), f"will not able to create pod with invalid DNS label: {last}")


def generated_selector(job: Object, context: Context) -> Iterator[FieldError]:
    """The selector is the one that the server makes, and so are the labels it selects."""
    yield from _generated(job, pod_labels(job, context.dialect))


def still_generated(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """`generated_selector` for an update; a job from before the labels had a domain needn't have those with a domain."""
    known, wanted = labels_of(old["spec"]["template"]), pod_labels(new, context.dialect)
    prefixed = all(context.dialect.key(name, "batch") in known for name in (JOB_NAME, CONTROLLER_UID))
    yield from _generated(new, {key: value for key, value in wanted.items() if prefixed or "/" not in key})


def _generated(job: Object, wanted: dict[str, str]) -> Iterator[FieldError]:
    spec = job["spec"]
    if spec.get("manualSelector") or spec.get("selector") is None:
        return
    labels = labels_of(spec["template"])
    for key, value in wanted.items():
        if key not in labels:
            yield required(f"{_WHERE}[{key}]", f"must be '{value}'")
        elif labels[key] != value:
            yield invalid_value(f"{_WHERE}[{key}]", labels, f"must be '{value}'")
    selector = spec["selector"]
    if not validate_object(selector, "spec.selector") and not from_object(selector).matches(wanted):
        yield invalid_value("spec.selector", selector, "`selector` not auto-generated")


def job_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    yield from _completions(new["spec"], old["spec"])
    yield from unchanged(new, old, "selector")
    yield from _template(new["spec"], old)
    for name in _IMMUTABLE:
        yield from unchanged(new, old, name)


def _completions(spec: Object, before: Object) -> Iterator[FieldError]:
    """An indexed job may grow and shrink, with as many pods at a time as there are indexes."""
    wanted = spec.get("completions")
    if wanted == before.get("completions"):
        return
    if not is_indexed(spec):
        yield invalid_value("spec.completions", wanted, IMMUTABLE)
    elif wanted is not None and wanted != spec.get("parallelism"):
        yield invalid_value("spec.completions", wanted, "can only be modified in tandem with spec.parallelism")


def _template(spec: Object, old: Object) -> Iterator[FieldError]:
    """A job that is suspended and has never started may go elsewhere."""
    template, before = spec["template"], copy_json(old["spec"]["template"])
    if old["spec"].get("suspend") and not get_path(old, "status.startTime"):
        copy_fields(before.setdefault("spec", {}), template.get("spec") or {}, "nodeSelector", "tolerations", "schedulingGates")
        copy_node_affinity(before["spec"], template.get("spec") or {})
        copy_fields(before.setdefault("metadata", {}), template.get("metadata") or {}, "labels", "annotations")
    if not same_json(_without_empty(template), _without_empty(before)):
        yield invalid_value("spec.template", template, IMMUTABLE)


def _without_empty(template: Object) -> Object:
    """A template, without metadata that say nothing."""
    return {name: value for name, value in template.items() if value != {}}


def job_warnings(job: Object) -> Iterator[str]:
    yield from many_indexes(job["spec"], "spec")


def many_indexes(spec: Object, path: str) -> Iterator[str]:
    """Warns of more indexes than can be told one by one."""
    if is_indexed(spec) and (spec.get("completions") or 0) > MANY_COMPLETIONS and (spec.get("parallelism") or 0) > PARALLELISM_OF_MANY:
        yield (
            f"{path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, "
            "Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
        )
