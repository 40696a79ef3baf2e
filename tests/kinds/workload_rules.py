"""What the tests of several workloads have in common: an object of each, and mistakes that are the same in all."""

from typing import Any

Object = dict[str, Any]

LABELS = {"app": "web"}
SELECTOR = {"matchLabels": LABELS}
TEMPLATE = {"metadata": {"labels": LABELS}, "spec": {"containers": [{"name": "a", "image": "a:1"}]}}

NEGATIVE = "must be greater than or equal to 0"
MISMATCH = "`selector` does not match template `labels`"
PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)
QUALIFIED = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)


def workload(**spec: Any) -> Object:
    """An object with a selector and a template; what is None is left out."""
    whole = {"selector": SELECTOR, "template": TEMPLATE, **spec}
    return {"metadata": {"name": "w"}, "spec": {name: value for name, value in whole.items() if value is not None}}


def template(labels: Object | None = None, annotations: Object | None = None, **pod: Any) -> Object:
    """The template with other labels, or another pod."""
    metadata = {"labels": LABELS if labels is None else labels, **({"annotations": annotations} if annotations else {})}
    return {"metadata": metadata, "spec": {**TEMPLATE["spec"], **pod}}


def counted(**status: Any) -> Object:
    return {**workload(), "status": status}


def wrong_templates(template_of: str) -> list[tuple[Object, list[str]]]:
    """Templates that no workload takes whose pods run without end, and what is said of them."""
    return [
        (
            template(restartPolicy="OnFailure"),
            ['spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"'],
        ),
        (
            template(restartPolicy="Never"),
            ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
        ),
        (
            template(activeDeadlineSeconds=30),
            [f"spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in {template_of} is not Supported"],
        ),
        (
            template(labels={**LABELS, "bad key": "v"}),
            [f'spec.template.labels: Invalid value: "bad key": {QUALIFIED}'],
        ),
        (
            template(annotations={"bad key": "v"}),
            [f'spec.template.annotations: Invalid value: "bad key": {QUALIFIED}'],
        ),
    ]


def wrong_pods() -> list[tuple[Object, list[str]]]:
    """Templates of pods that can't be, and what is said of them by all but StatefulSets."""
    return [
        (template(containers=[]), ["spec.template.spec.containers: Required value"]),
        ({"metadata": {"labels": LABELS}}, ["spec.template.spec.containers: Required value"]),
        (template(dnsPolicy="x"), [f'spec.template.spec.dnsPolicy: Unsupported value: "x": supported values: {DNS}']),
        (
            template(ephemeralContainers=[{"name": "e", "image": "e:1"}]),
            ["spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"],
        ),
    ]


DNS = '"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"'


def wrong_counts(*names: str) -> list[tuple[Object, list[str]]]:
    """Statuses with a count below 0."""
    return [(counted(**{name: -1}), [f"status.{name}: Invalid value: -1: {NEGATIVE}"]) for name in names]


def wrong_parts(*names: str, **beside: Any) -> list[tuple[Object, list[str]]]:
    """Statuses with more of something than there is at all."""
    return [
        (counted(**{"replicas": 1, **beside, name: 2}), [f"status.{name}: Invalid value: 2: cannot be greater than status.replicas"])
        for name in names
    ]
