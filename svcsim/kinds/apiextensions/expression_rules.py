"""What makes the validation rules of a schema right: they compile, name what is there, and can't cost too much."""

from collections.abc import Iterator
from typing import NamedTuple

from svcsim import limits
from svcsim.kinds.apiextensions.rule_estimates import Estimates
from svcsim.kinds.apiextensions.rule_text import as_text
from svcsim.meta.errors import FieldError, invalid_value, required, unsupported
from svcsim.meta.types import Object
from svcsim.schema.cel.field_paths import FieldPathError, resolved
from svcsim.schema.cel.rules import REASONS, RuleError, check_message, check_rule, compiled, estimated_cost
from svcsim.schema.cel.schema_shapes import most_values
from svcsim.schema.structural import as_rules_see
from svcsim.schema.types import Structural


class _Place(NamedTuple):
    """Where in a schema a node stands."""

    path: str
    values: int | None = 1
    """How many values there may be of it in an object; None where the schema doesn't say."""
    uncorrelated: str = ""
    """The list, if it is in one, whose items can't be told to have been there before."""


def expression_findings(root: Structural, path: str, prefix: str, stored: frozenset[str] = frozenset()) -> Iterator[FieldError]:
    """All that is wrong with the rules of a schema, but for those that have been ``stored`` before: what is kept may be kept."""
    estimates = Estimates()
    yield from _at(as_rules_see(root), _Place(path), prefix, stored, estimates)
    yield from estimates.findings(path)


def _at(node: Structural, place: _Place, prefix: str, stored: frozenset[str], estimates: Estimates) -> Iterator[FieldError]:
    for index, declared in enumerate(node.expressions):
        if stored and as_text(declared) in stored:
            continue
        yield from _rule(declared, node, place, f"{place.path}.{prefix}validations[{index}]", estimates)
    for name, child in node.properties.items():
        yield from _at(child, place._replace(path=f"{place.path}.properties[{name}]"), prefix, stored, estimates)
    if node.additional is not None:
        count = _times(place.values, node.document.get("maxProperties"))
        below = place._replace(path=f"{place.path}.additionalProperties", values=count)
        yield from _at(node.additional, below, prefix, stored, estimates)
    if node.items is not None:
        count = _times(place.values, node.document.get("maxItems"))
        path = f"{place.path}.items"
        uncorrelated = place.uncorrelated or ("" if node.list_type == "map" else path)
        yield from _at(node.items, _Place(path, count, uncorrelated), prefix, stored, estimates)


def _times(values: int | None, most: int | None) -> int | None:
    return None if values is None or most is None else values * most


def _rule(declared: Object, node: Structural, place: _Place, path: str, estimates: Estimates) -> Iterator[FieldError]:
    rule: str = declared.get("rule") or ""
    yield from _words(declared, path)
    if not rule.strip():
        if rule:
            yield required(f"{path}.rule", "rule is not specified")
        return  # the absence of one has been told
    yield from _field_path(declared.get("fieldPath"), node, f"{path}.fieldPath")
    try:
        check_rule(declared, node)
        expression = compiled({**declared, "messageExpression": ""}, node)
    except RuleError as error:
        told = str(error) if str(error).startswith("cel ") else f"compilation failed: {error}"
        yield invalid_value(f"{path}.rule", rule, told)
        return
    if expression.of_changes and place.uncorrelated:
        why = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {place.uncorrelated}"
        yield invalid_value(f"{path}.rule", rule, why)
    if declared.get("optionalOldSelf") is not None and not expression.of_changes:
        yield invalid_value(f"{path}.optionalOldSelf", declared["optionalOldSelf"], "may not be set if oldSelf is not used in rule")
    yield from _message(declared, node, path, estimates)
    values = most_values(node) if place.values is None else place.values
    least = expression.rule.costs.least.time / limits.CEL_STEP_COST
    yield from estimates.seen(f"{path}.rule", "estimated rule cost", estimated_cost(rule, node) * values, least)


def _field_path(text: str | None, node: Structural, path: str) -> Iterator[FieldError]:
    if text is None:
        return
    if not text.strip():
        yield invalid_value(path, text, "fieldPath must be non-empty if specified")
    if "\n" in text.strip():
        yield invalid_value(path, text, "fieldPath must not contain line breaks")
    try:
        resolved(text, node)
    except FieldPathError as error:
        yield invalid_value(path, text, f"fieldPath must be a valid path: {error}")


def _words(declared: Object, path: str) -> Iterator[FieldError]:
    message, reason = declared.get("message") or "", declared.get("reason")
    if message and not message.strip():
        yield invalid_value(f"{path}.message", message, "message must be non-empty if specified")
    elif "\n" in message.strip():
        yield invalid_value(f"{path}.message", message, "message must not contain line breaks")
    elif len(message) > limits.CEL_MESSAGE_CHARS:
        yield invalid_value(f"{path}.message", f"{message[:10]}...", "must have a maximum length of 2048 characters")
    elif not message and "\n" in (declared.get("rule") or "").strip() and not declared.get("messageExpression"):
        yield required(f"{path}.message", "message must be specified if rule contains line breaks")
    if reason is not None and reason not in REASONS:
        yield unsupported(f"{path}.reason", reason, REASONS)


def _message(declared: Object, node: Structural, path: str, estimates: Estimates) -> Iterator[FieldError]:
    """What is wrong with the expression of a message."""
    text = declared.get("messageExpression")
    if text is None:
        return
    if not text.strip():
        yield required(f"{path}.messageExpression", "must be non-empty if specified")
        return
    try:
        check_message(declared, node)
    except RuleError as error:
        told = str(error) if str(error).startswith("messageExpression ") else f"messageExpression compilation failed: {error}"
        yield invalid_value(f"{path}.messageExpression", text, told)
        return
    yield from estimates.seen(f"{path}.messageExpression", "estimated messageExpression cost", estimated_cost(text, node))
