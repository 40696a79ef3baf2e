"""What workloads have in common: a selector, the template of the pods it selects, and how many of them are wanted."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import not_negative, unchanged
from svcsim.kinds.shared.columns import selector_at
from svcsim.meta.errors import FieldError, StatusError, forbidden_field, invalid_value, unsupported
from svcsim.meta.objects import labels_of
from svcsim.meta.selectors import from_object, validate_object
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context
from svcsim.schema.common import LABEL_SELECTOR
from svcsim.schema.types import Field, Int, Rule

REPLICAS = Field(1, "replicas", Int(), "Desired number of pods", default=1, rules=(not_negative,))
SELECTOR_COLUMN = Column("Selector", selector_at("spec.selector"), priority=1, doc="Label selector of the pods that belong to it")


def selector(number: int) -> Field:
    """The labels of the pods that belong to a workload."""
    doc = "Label selector of the pods that belong to it; must match the labels of the template and cannot be changed"
    return Field(number, "selector", LABEL_SELECTOR, doc, required=True)


def min_ready_seconds(number: int) -> Field:
    """How long a pod has to be ready before it counts as available."""
    doc = "Seconds for which a new pod must be ready, without a container crashing, before it counts as available"
    return Field(number, "minReadySeconds", Int(), doc, rules=(not_negative,), presence=False)


def template_rules(workload: str, template_of: str) -> Rule:
    """The selector selects the pods of the template, and they run without end.

    ``workload`` and ``template_of`` are the names that the findings give the kind.
    """

    def check(spec: Json, path: str) -> Iterator[FieldError]:
        wanted, template = spec.get("selector"), spec.get("template") or {}
        if wanted is not None and not wanted.get("matchLabels") and not wanted.get("matchExpressions"):
            yield invalid_value(f"{path}.selector", wanted, f"empty selector is invalid for {workload}")
        if wanted is not None and validate_object(wanted, f"{path}.selector"):
            yield invalid_value(f"{path}.selector", wanted, "invalid label selector")
        elif wanted is None or not _selects(wanted, labels_of(template)):
            where = f"{path}.template.metadata.labels"
            yield invalid_value(where, labels_of(template), "`selector` does not match template `labels`")
        pod = template.get("spec") or {}
        if pod.get("restartPolicy") not in (None, "Always"):
            yield unsupported(f"{path}.template.spec.restartPolicy", pod["restartPolicy"], ("Always",))
        if pod.get("activeDeadlineSeconds") is not None:
            where = f"{path}.template.spec.activeDeadlineSeconds"
            yield forbidden_field(where, f"activeDeadlineSeconds in {template_of} is not Supported")

    return check


def _selects(wanted: Object, labels: dict[str, str]) -> bool:
    try:
        return from_object(wanted).matches(labels)
    except StatusError:
        return False


def selector_unchanged(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """The pods that belong to a workload stay the same ones."""
    yield from unchanged(new, old, "selector")
