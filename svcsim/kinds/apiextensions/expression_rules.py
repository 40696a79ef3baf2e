"""What makes the validation rules of a schema right: they compile, name what is there, and can't cost too much."""

from collections.abc import Iterator
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.codec import encode_sorted
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required, unsupported
from svcsim.meta.types import Object
from svcsim.schema.cel.rules import REASONS, Expression, RuleError, check_message, check_rule, compiled
from svcsim.schema.cel.spelling import nesting
from svcsim.schema.structural import as_rules_see, node_at
from svcsim.schema.types import Structural

_ADVICE = "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"


class _Place(NamedTuple):
    """Where in a schema a node stands."""

    path: str
    values: int = 1
    """How many values there may be of it in an object."""
    uncorrelated: str = ""
    """The list, if it is in one, whose items can't be told to have been there before."""


def expression_findings(root: Structural, path: str, prefix: str, stored: frozenset[str] = frozenset()) -> Iterator[FieldError]:
    """All that is wrong with the rules of a schema, but for those that have been ``stored`` before: what is kept may be kept."""
    yield from _at(as_rules_see(root), _Place(path), prefix, stored)


def as_text(declared: Object) -> str:
    """A rule, by which it is known again."""
    return encode_sorted(declared).decode()


def _at(node: Structural, place: _Place, prefix: str, stored: frozenset[str]) -> Iterator[FieldError]:
    for index, declared in enumerate(node.expressions):
        if stored and as_text(declared) in stored:
            continue
        yield from _rule(declared, node, place, f"{place.path}.{prefix}validations[{index}]")
    for name, child in node.properties.items():
        yield from _at(child, place._replace(path=f"{place.path}.properties[{name}]"), prefix, stored)
    if node.additional is not None:
        count = place.values * (node.document.get("maxProperties") or limits.CEL_UNBOUNDED_ITEMS)
        yield from _at(node.additional, place._replace(path=f"{place.path}.additionalProperties", values=count), prefix, stored)
    if node.items is not None:
        count = place.values * (node.document.get("maxItems") or limits.CEL_UNBOUNDED_ITEMS)
        path = f"{place.path}.items"
        uncorrelated = place.uncorrelated or ("" if node.list_type == "map" else path)
        yield from _at(node.items, _Place(path, count, uncorrelated), prefix, stored)


def _rule(declared: Object, node: Structural, place: _Place, path: str) -> Iterator[FieldError]:
    rule: str = declared.get("rule") or ""
    yield from _words(declared, path)
    if not rule.strip():
        if rule:
            yield required(f"{path}.rule", "rule is not specified")
        return  # the absence of one has been told
    field_path = declared.get("fieldPath")
    if field_path and node_at(node, field_path) is None:
        yield invalid_value(f"{path}.fieldPath", field_path, "fieldPath must be a valid path")
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
    yield from _message(declared, node, path)
    yield from _cost(expression, node, place, path)


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


def _cost(expression: Expression, node: Structural, place: _Place, path: str) -> Iterator[FieldError]:
    """Whether it could loop too often over what the schema lets an object have, or costs too much whatever an object has."""
    loops = place.values * _largest(node) ** nesting(expression.declared["rule"])
    factor = max(loops / limits.CEL_ESTIMATED_COST, expression.rule.costs.least / limits.CEL_CALL_COST)
    if factor > 1:
        told = "more than 100x" if factor > 100 else f"{factor:.1f}x"
        yield forbidden_field(f"{path}.rule", f"estimated rule cost exceeds budget by factor of {told} {_ADVICE}")


def _largest(node: Structural) -> int:
    """The length of the longest list or map that values of a node may have in them."""
    lengths = [1]
    if node.items is not None:
        lengths += (node.document.get("maxItems") or limits.CEL_UNBOUNDED_ITEMS, _largest(node.items))
    if node.additional is not None:
        lengths += (node.document.get("maxProperties") or limits.CEL_UNBOUNDED_ITEMS, _largest(node.additional))
    lengths += [_largest(child) for child in node.properties.values()]
    return max(lengths)


def _message(declared: Object, node: Structural, path: str) -> Iterator[FieldError]:
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
