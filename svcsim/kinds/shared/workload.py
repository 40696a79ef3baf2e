"""What workloads have in common: a selector, the template of the pods it selects, how many are wanted, and counts of what there is."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import not_negative, unchanged
from svcsim.kinds.shared.columns import selector_at
from svcsim.meta.errors import FieldError, StatusError, forbidden_field, invalid_value, unsupported
from svcsim.meta.label_selectors import from_object, validate_object
from svcsim.meta.names import dns_label
from svcsim.meta.objects import labels_of, name_of
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context, UpdateRule
from svcsim.schema.common import LABEL_SELECTOR
from svcsim.schema.types import Field, Int, Rule

REPLICAS = Field(1, "replicas", Int(), "Desired number of pods", default=1, rules=(not_negative,))
SELECTOR_COLUMN = Column("Selector", selector_at("spec.selector"), priority=1, doc="Label selector of the pods that belong to it")
_SELECTOR_DOC = "Label selector of the pods that belong to it; must match the labels of the template and cannot be changed"


def selector(number: int) -> Field:
    """The labels of the pods that belong to a workload."""
    return Field(number, "selector", LABEL_SELECTOR, _SELECTOR_DOC, required=True)


def selector_of_rules(number: int) -> Field:
    """The selector of a workload, checked by rules alone: a missing one is reported because it doesn't select the template's labels."""
    return Field(number, "selector", LABEL_SELECTOR, _SELECTOR_DOC, required=True, unchecked=True)


def min_ready_seconds(number: int) -> Field:
    """How long a pod has to be ready before it counts as available."""
    doc = "Seconds for which a new pod must be ready, without a container crashing, before it counts as available"
    return Field(number, "minReadySeconds", Int(), doc, rules=(not_negative,), presence=False)


def template_rules(workload: str, template_of: str, invalid: str = "invalid label selector") -> Rule:
    """The selector selects the pods of the template, and they run without end.

    ``workload`` and ``template_of`` are the names that the findings give the kind; ``invalid`` is what they say of a selector that is none.
    """

    def check(spec: Json, path: str) -> Iterator[FieldError]:
        wanted, template = spec.get("selector"), spec.get("template") or {}
        yield from not_empty(wanted, f"{path}.selector", workload)
        if wanted is not None and validate_object(wanted, f"{path}.selector"):
            yield invalid_value(f"{path}.selector", wanted, invalid)
        else:
            yield from selected(wanted, template, f"{path}.template")
        yield from lasting(template, f"{path}.template", template_of)

    return check


def not_empty(wanted: Object | None, path: str, workload: str) -> Iterator[FieldError]:
    """A selector that is there says something."""
    if wanted is not None and not wanted.get("matchLabels") and not wanted.get("matchExpressions"):
        yield invalid_value(path, wanted, f"empty selector is invalid for {workload}")


def selected(wanted: Object | None, template: Object, path: str) -> Iterator[FieldError]:
    """A selector, if it is one, selects the pods of the template. None at all selects nothing."""
    labels = labels_of(template)
    if wanted is None or not _selects(wanted, labels):
        yield invalid_value(f"{path}.metadata.labels", labels or None, "`selector` does not match template `labels`")


def lasting(template: Object, path: str, template_of: str) -> Iterator[FieldError]:
    """The pods of a template run without end."""
    pod = template.get("spec") or {}
    if pod.get("restartPolicy") not in (None, "Always"):
        yield unsupported(f"{path}.spec.restartPolicy", pod["restartPolicy"], ("Always",))
    if pod.get("activeDeadlineSeconds") is not None:
        yield forbidden_field(f"{path}.spec.activeDeadlineSeconds", f"activeDeadlineSeconds in {template_of} is not Supported")


def _selects(wanted: Object, labels: dict[str, str]) -> bool:
    try:
        return from_object(wanted).matches(labels)
    except StatusError:
        return False


def selector_unchanged(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """The pods that belong to a workload stay the same ones."""
    yield from unchanged(new, old, "selector")


def status_counts(*counts: str, parts: tuple[str, ...] = (), of_ready: str = "") -> UpdateRule:
    """Counts in a status are none below 0, and ``parts`` are not more than ``replicas``.

    Of a status that counts available pods, which are ready as well, ``of_ready`` is what it calls the ready ones.
    """

    def check(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
        status = new.get("status") or {}
        for name in counts:
            yield from not_negative(status.get(name) or 0, f"status.{name}")
        limits = [(name, "replicas", "status.replicas") for name in parts]
        if of_ready:
            limits.append(("availableReplicas", "readyReplicas", of_ready))
        for name, limit, limit_name in limits:
            count = status.get(name) or 0
            if count > (status.get(limit) or 0):
                yield invalid_value(f"status.{name}", count, f"cannot be greater than {limit_name}")

    return check


def collisions_not_undone(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """How often a name was in use already only grows."""
    before, after = (old.get("status") or {}).get("collisionCount"), (new.get("status") or {}).get("collisionCount")
    if before is not None and (after is None or after < before):
        yield invalid_value("status.collisionCount", after or 0, "cannot be decremented")


def name_of_pods(obj: Object) -> Iterator[str]:
    """Warns of a name that can't be part of a host name: pods are named after the workload."""
    if findings := dns_label(name_of(obj)):
        yield (
            "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; "
            f"a DNS label is recommended: [{' '.join(findings)}]"
        )
