"""Stages as kwok has them: objects of the kind ``Stage`` of ``kwok.x-k8s.io/v1alpha1``, as its public documentation describes them.

Both its forms are read: ``next`` with a status template or patches, and ``steps``; keys and expressions for jq directly, or below ``jq``.
Expressions in CEL are not, and are refused.
"""

from collections.abc import Mapping

from svcsim.meta.names import qualified_name
from svcsim.meta.objects import get_path, name_of
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object
from svcsim.nodes.staged.fields import Fields
from svcsim.nodes.staged.stage import Applied, Finalizers, ObjectKind, Patch, SaidAmount, Stage, StageEvent, StageRequirement, Step

GROUP = "kwok.x-k8s.io"
API_VERSION = f"{GROUP}/v1alpha1"
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
_SUBRESOURCES = ("status", "scale", "resize", "ephemeralcontainers", "approval")
"""Those of any kind that can be patched; whether the object's own kind has it, its first patch tells."""
_FORMS = ("json", "merge", "strategic")


def read_kwok_stage(obj: Object) -> Stage | None:
    """The stage that an object is; None for one that is played on nothing, having no selector. Raises `StageError`."""
    spec = Fields(obj.get("spec"), "spec")
    ref = spec.inner("resourceRef")
    if ref is None:
        raise spec.wrong("resourceRef", "is missing")
    of = ObjectKind(ref.text("apiGroup", "v1"), ref.text("kind", required=True))
    ref.end()
    selector, delay = spec.inner("selector"), spec.inner("delay")
    weight = SaidAmount(spec.number("weight", 0), None)
    weight_from = spec.inner("weightFrom")
    if weight_from is not None:
        weight = weight._replace(query=_expression(weight_from).query)
    stage = Stage(
        name_of(obj),
        of,
        steps=(*_next(spec.inner("next")), *(step for one in spec.each("steps") for step in _steps(one))),
        weight=weight,
        delay=_delay(delay, "duration", SaidAmount(0)),
        jitter=_delay(delay, "jitterDuration", SaidAmount()),
        jitter_shortens=True,
        immediate=spec.flag("immediateNextStage"),
    )
    if delay is not None:
        delay.end()
    spec.end()
    return None if selector is None else _selected(stage, selector)


def meant_for(obj: Object) -> tuple[ObjectKind, Mapping[str, str]]:
    """What a stage that isn't played would be about, as far as it says: a kind, and labels. One without a selector is about nothing."""
    ref, labels = get_path(obj, "spec.resourceRef"), get_path(obj, "spec.selector.matchLabels")
    said = ref if isinstance(ref, dict) and get_path(obj, "spec.selector") is not None else {}
    of = ObjectKind(str(said.get("apiGroup") or "v1"), str(said.get("kind") or ""))
    return of, {str(key): str(value) for key, value in labels.items()} if isinstance(labels, dict) else {}


def _selected(stage: Stage, selector: Fields) -> Stage:
    labels, annotations = selector.labels("matchLabels"), selector.annotations("matchAnnotations")
    requirements = tuple(_requirement(one) for one in selector.each("matchExpressions"))
    selector.end()
    return stage._replace(labels=labels, annotations=annotations, requirements=requirements)


def _requirement(one: Fields) -> StageRequirement:
    _no_cel(one, "expression", "cel")
    within = one.inner("jq") or one
    operator = within.text("operator", among=_OPERATORS, required=True)
    values = within.words("values")
    if operator in {"In", "NotIn"} and not values:
        raise within.wrong("values", f"is needed by the operator {operator}")
    if operator in {"Exists", "DoesNotExist"} and values:
        raise within.wrong("values", f"must be empty for the operator {operator}")
    found = StageRequirement(within.query("key", within.text("key", required=True)), operator, values)
    within.end()
    one.end()
    return found


def _no_cel(fields: Fields, *names: str) -> None:
    for name in names:
        if name in fields:
            raise fields.wrong(name, "expressions in CEL are not understood; use jq")


def _expression(fields: Fields) -> SaidAmount:
    _no_cel(fields, "cel")
    jq = fields.inner("jq")
    name = "expressionFrom" if jq is None else "expression"
    within = jq or fields
    text = within.text(name)
    found = SaidAmount(query=within.query(name, text) if text else None)
    within.end()
    fields.end()
    return found


def _delay(delay: Fields | None, name: str, otherwise: SaidAmount) -> SaidAmount:
    if delay is None:
        return SaidAmount()
    milliseconds = delay.number(f"{name}Milliseconds")
    found = otherwise if milliseconds is None else SaidAmount(milliseconds / 1000)
    source = delay.inner(f"{name}From")
    return found if source is None else found._replace(query=_expression(source).query)


def _next(fields: Fields | None) -> list[Step]:
    """What a stage does, in kwok's order: event, finalizers, and then it deletes or patches."""
    if fields is None:
        return []
    done: list[Step] = _common(fields)
    patches = [_patch(one) for one in fields.each("patches")]
    status = fields.text("statusTemplate")
    subresource = _subresource(fields, "statusSubresource", "status")
    as_user = _user(fields, "statusPatchAs")
    if status:
        patches.append(Patch(fields.template("statusTemplate", status), root="status", subresource=subresource, as_user=as_user))
    fields.end()
    return [*done, *(Step(patch=patch) for patch in patches if not any(step.delete for step in done))]


def _steps(fields: Fields) -> list[Step]:
    done = _common(fields)
    patch = fields.inner("patch")
    if patch is not None:
        done.append(Step(patch=_patch(patch)))
    applied = fields.inner("apply")
    if applied is not None:
        made = applied.template("template", applied.text("template", required=True))
        done.append(Step(apply=Applied(made, _user(applied, "impersonation"))))
        applied.end()
    fields.end()
    return done


def _common(fields: Fields) -> list[Step]:
    done: list[Step] = []
    event = fields.inner("event")
    if event is not None:
        done.append(Step(event=read_event(event)))
    finalizers = fields.inner("finalizers")
    if finalizers is not None:
        done.append(Step(finalizers=_finalizers(finalizers)))
    if fields.flag("delete"):
        done.append(Step(delete=True))
    return done


def read_event(fields: Fields) -> StageEvent:
    """An event that a stage reports. Raises `StageError`."""
    kind = fields.text("type", "Normal", among=("Normal", "Warning"))
    found = StageEvent(kind, fields.text("reason", required=True), fields.template("message", fields.text("message")))
    fields.end()
    return found


def _finalizers(fields: Fields) -> Finalizers:
    add, remove = (tuple(_value(one) for one in fields.each(name)) for name in ("add", "remove"))
    found = Finalizers(add, remove, fields.flag("empty"))
    fields.end()
    return found


def _subresource(fields: Fields, name: str, default: str = "") -> str:
    """Which subresource is patched; empty for none."""
    value = fields.text(name, default)
    if value and value not in _SUBRESOURCES:
        raise fields.wrong(name, f"must be one of {', '.join(_SUBRESOURCES)}, not {quoted(value)}")
    return value


def _value(fields: Fields) -> str:
    value = fields.text("value", required=True)
    if wrong := qualified_name(value):
        raise fields.wrong("value", f"{quoted(value)} can be no finalizer: {wrong[0]}")
    fields.end()
    return value


def _user(fields: Fields, name: str) -> str:
    """In whose name a patch is sent; empty where that isn't said."""
    who = fields.inner(name)
    if who is None:
        return ""
    user = who.text("username", required=True)
    who.end()
    return user


def _patch(fields: Fields) -> Patch:
    found = Patch(
        fields.template("template", fields.text("template", required=True)),
        fields.text("root"),
        _subresource(fields, "subresource"),
        fields.text("type", among=_FORMS),
        as_user=_user(fields, "impersonation"),
    )
    fields.end()
    return found
