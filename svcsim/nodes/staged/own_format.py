"""Stages as svcsim has them itself: shorter to write than kwok's, and with a ``next`` that names what follows.

.. code-block:: yaml

    apiVersion: svcsim.dev/v1
    kind: Stage
    metadata: {name: warm-up}
    match: {kind: Pod, namespace: shop, labels: {app: web}}
    when: .status.phase == "Running"
    delay: {for: 5s, jitter: 20s}
    event: {type: Warning, reason: Cold, message: "{{ .metadata.name }} is warming up"}
    patch:
      metadata: {annotations: {warm: "yes"}}
    next: serve
"""

from svcsim.meta.codec import encode_yaml
from svcsim.meta.names import dns_label, dns_subdomain, path_segment
from svcsim.meta.objects import name_of
from svcsim.meta.types import Object
from svcsim.nodes.containers.behaviour import UnreadableError, duration_s
from svcsim.nodes.staged.fields import Fields
from svcsim.nodes.staged.kwok_format import read_event
from svcsim.nodes.staged.stage import NODE, POD, ObjectKind, Patch, SaidAmount, Stage, StageRequirement, Step
from svcsim.nodes.staged.texts import check_texts

API_VERSION = "svcsim.dev/v1"


def read_own_stage(obj: Object) -> Stage:
    """The stage that a document is. Raises `StageError`."""
    fields = Fields(obj, "")
    for name in ("apiVersion", "kind", "metadata"):
        fields.raw(name)
    match = fields.inner("match") or Fields({}, "match")
    of = ObjectKind(match.text("apiVersion", "v1"), match.text("kind", "Pod"))
    delay, jitter = _delay(fields)
    stage = Stage(
        name_of(obj),
        of,
        steps=tuple(_steps(fields)),
        labels=match.labels("labels"),
        annotations=match.annotations("annotations"),
        object_name=match.name_pattern("name", dns_subdomain if of in (POD, NODE) else path_segment),
        namespace=match.name_pattern("namespace", dns_label),
        requirements=tuple(StageRequirement(fields.query("when", text), "True") for text in fields.words("when")),
        weight=_weight(fields),
        delay=delay,
        jitter=jitter,
        following=fields.words("next"),
    )
    match.end()
    fields.end()
    if not stage.requirements and not stage.following and not any(step.delete for step in stage.steps):
        raise fields.wrong("when", "is missing: without it the stage would be played on its objects again and again")
    return stage


def _steps(fields: Fields) -> list[Step]:
    done: list[Step] = []
    event = fields.inner("event")
    if event is not None:
        done.append(Step(event=read_event(event)))
    patch = fields.raw("patch")
    if patch is not None:
        if not isinstance(patch, str | dict):
            raise fields.wrong("patch", "must be a map, or a template that makes one")
        if isinstance(patch, dict):
            check_texts(patch, "patch")
        text = patch if isinstance(patch, str) else encode_yaml(patch).decode()
        done.append(Step(patch=Patch(fields.template("patch", text), splits=True)))
    if fields.flag("delete"):
        done.append(Step(delete=True))
    if not done:
        raise fields.wrong("", "a stage does something: it needs patch, event or delete")
    return done


def _weight(fields: Fields) -> SaidAmount:
    given = fields.raw("weight")
    return SaidAmount(0, fields.query("weight", given)) if isinstance(given, str) else SaidAmount(fields.number("weight", 0))


def _delay(fields: Fields) -> tuple[SaidAmount, SaidAmount]:
    """After how long, and the longest where chance has a say: ``5s``, or ``{for: 5s, jitter: 20s}``; either may be a query."""
    given = fields.raw("delay")
    if given is None:
        return SaidAmount(0), SaidAmount()
    if not isinstance(given, dict):
        return _time(fields, "delay"), SaidAmount()
    within = Fields(given, "delay")
    found = _time(within, "for") if "for" in within else SaidAmount(0)
    jitter = _time(within, "jitter") if "jitter" in within else SaidAmount()
    within.end()
    if found.is_fixed and jitter.is_fixed and (jitter.value or 0.0) < (found.value or 0.0):
        raise within.wrong("jitter", "it is the longest delay that chance may choose, and must not be shorter than delay.for, the shortest")
    return found, jitter


def _time(fields: Fields, name: str) -> SaidAmount:
    text = str(fields.raw(name))
    if text.startswith("."):
        return SaidAmount(0, fields.query(name, text))
    try:
        return SaidAmount(duration_s(text))
    except UnreadableError as error:
        raise fields.wrong(name, f"{text} {error}") from None
