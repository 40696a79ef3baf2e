"""Label selectors: choosing objects by what is written on them.

They come as strings (``app=web,tier in (a,b),!old``) and as objects (``matchLabels``, ``matchExpressions``); both are parsed once, into the
same type.
"""

import re
from collections.abc import Iterable, Iterator

from svcsim import limits
from svcsim.meta.errors import FieldError, bad_request, invalid_value, too_many_terms
from svcsim.meta.label_matching import INTEGER, Matcher, Requirement, compiled, nothing
from svcsim.meta.names import label_value, qualified_name
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object

_TOKEN = re.compile(r"[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^ \t\r\n=!(),<>]+)|\Z)")
WORD_OPERATORS = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}
"""Operators as objects spell them, and their signs."""
_BINARY = ("in", "notin", "=", "==", "!=", ">", "<")


class LabelSelector:
    """A label selector. ``matches(labels)`` tells whether all requirements hold.

    It is compiled when it is first asked for: one pod may bring thousands of selectors, and each takes longer to compile than to read.
    """

    __slots__ = ("impossible", "matches", "requirements")

    matches: Matcher

    def __init__(self, requirements: Iterable[Requirement] = (), *, impossible: bool = False) -> None:
        found = tuple(requirements)
        self.requirements = found if len(found) < 2 else tuple(sorted(found, key=lambda requirement: requirement.key))
        self.impossible = impossible
        """Matches nothing at all, as a selector object that isn't there does."""

    def __getattr__(self, name: str) -> Matcher:
        if name != "matches":
            raise AttributeError(name)
        self.matches = matches = nothing if self.impossible else compiled(self.requirements)
        return matches

    @property
    def exact(self) -> dict[str, str]:
        """Labels a match must have with just this value: what an index can be asked."""
        return {r.key: r.values[0] for r in self.requirements if r.operator in {"=", "==", "in"} and len(r.values) == 1}

    @property
    def empty(self) -> bool:
        """Whether everything matches."""
        return not self.requirements and not self.impossible

    def __str__(self) -> str:
        """The selector as a string that parses to an equal one."""
        return ",".join(map(str, self.requirements))

    def __repr__(self) -> str:
        return f"LabelSelector({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelSelector):
            return NotImplemented
        return self.requirements == other.requirements and self.impossible == other.impossible

    def __hash__(self) -> int:
        return hash((self.requirements, self.impossible))


def from_object(selector: Object | None) -> LabelSelector:
    """The selector that ``matchLabels`` and ``matchExpressions`` spell. None matches nothing, ``{}`` everything."""
    if selector is None:
        return LabelSelector(impossible=True)
    requirements = [Requirement(key, "=", (value,)) for key, value in (selector.get("matchLabels") or {}).items()]
    for expression in selector.get("matchExpressions") or ():
        operator = expression.get("operator", "")
        if operator not in WORD_OPERATORS:
            raise bad_request(f"{quoted(operator)} is not a valid label selector operator")
        values = tuple(sorted(expression.get("values") or ()))
        requirements.append(Requirement(expression.get("key", ""), WORD_OPERATORS[operator], values))
    return LabelSelector(requirements)


def validate_object(selector: Object, path: str) -> list[FieldError]:
    """What is wrong with a selector object."""
    findings: list[FieldError] = []
    for key, value in (selector.get("matchLabels") or {}).items():
        if wrong := qualified_name(key):
            findings += [invalid_value(f"{path}.matchLabels", key, finding) for finding in wrong]
        if wrong := label_value(value):
            findings += [invalid_value(f"{path}.matchLabels", value, finding) for finding in wrong]
    for index, expression in enumerate(selector.get("matchExpressions") or ()):
        findings += _validate_expression(expression, f"{path}.matchExpressions[{index}]")
    return findings


def _validate_expression(expression: Object, path: str) -> list[FieldError]:
    operator, values = expression.get("operator", ""), expression.get("values") or []
    findings: list[FieldError] = []
    if operator in {"In", "NotIn"}:
        if not values:
            findings.append(
                FieldError("FieldValueRequired", f"{path}.values", "Required value: must be specified when `operator` is 'In' or 'NotIn'")
            )
    elif operator in {"Exists", "DoesNotExist"}:
        if values:
            findings.append(
                FieldError(
                    "FieldValueForbidden", f"{path}.values", "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                )
            )
    else:
        findings.append(invalid_value(f"{path}.operator", operator, "not a valid selector operator"))
    key = expression.get("key", "")
    findings += [invalid_value(f"{path}.key", key, finding) for finding in qualified_name(key)]
    for index, value in enumerate(values):
        findings += [invalid_value(f"{path}.values[{index}]", value, finding) for finding in label_value(value)]
    return findings


def parse_labels(text: str) -> LabelSelector:
    """The selector a ``labelSelector`` parameter spells; a 400 where it can't be understood."""
    tokens = _Tokens(text)
    requirements: list[Requirement] = []
    terms = 0
    while tokens.next:
        if tokens.next != "!" and not tokens.at_word:
            raise bad_request(f"found '{tokens.next}', expected: !, identifier, or 'end of string'")
        try:
            requirements.append(_parse_requirement(tokens))
        except _SyntaxError as fault:
            raise bad_request(f"unable to parse requirement: {fault}") from None
        terms += max(len(requirements[-1].values), 1)
        if terms > limits.SELECTOR_TERMS:
            raise too_many_terms(limits.SELECTOR_TERMS)
        separator = tokens.take()
        if separator not in {"", ","}:
            raise bad_request(f"found '{separator}', expected: ',' or 'end of string'")
        if separator and tokens.next != "!" and not tokens.at_word:
            raise bad_request(f"found '{tokens.next}', expected: identifier after ','")
    return LabelSelector(requirements)


class _SyntaxError(Exception):
    """Why a requirement can't be understood."""


class _Tokens:
    """The words and signs of a label selector, one at a time; an empty one at the end."""

    def __init__(self, text: str) -> None:
        self._tokens: Iterator[re.Match[str]] = _TOKEN.finditer(text)
        self.next = ""
        self.at_word = False
        self.take()

    def take(self) -> str:
        """The next token, which is then passed."""
        taken = self.next
        match = next(self._tokens, None)
        sign, word = match.groups() if match else (None, None)
        self.next, self.at_word = sign or word or "", word is not None
        return taken

    def take_word(self) -> str:
        """The next token, which has to be a word."""
        if not self.at_word:
            raise _SyntaxError(f"found '{self.next}', expected: identifier")
        return self.take()


def _parse_requirement(tokens: _Tokens) -> Requirement:
    negated = tokens.next == "!"
    if negated:
        tokens.take()
    key = tokens.take_word()
    if findings := qualified_name(key):
        raise _SyntaxError(f"<nil>: Invalid value: {quoted(key)}: {'; '.join(findings)}")
    if negated:
        return Requirement(key, "!")
    if tokens.next in {"", ","}:
        return Requirement(key, "exists")
    operator = tokens.take()
    if operator not in _BINARY:
        raise _SyntaxError(f"found '{operator}', expected: in, notin, =, ==, !=, gt, lt")
    values = _parse_values(tokens) if operator in {"in", "notin"} else ("" if tokens.next in {"", ","} else tokens.take_word(),)
    _check_values(key, operator, values)
    return Requirement(key, operator, values)


def _parse_values(tokens: _Tokens) -> tuple[str, ...]:
    if tokens.next != "(":
        raise _SyntaxError(f"found '{tokens.next}' expected: '('")
    tokens.take()
    values = {tokens.take() if tokens.at_word else "": None}
    while tokens.next == ",":
        tokens.take()
        values[tokens.take() if tokens.at_word else ""] = None
    if tokens.next != ")":
        raise _SyntaxError(f"found '{tokens.next}', expected: ',' or ')'")
    tokens.take()
    return tuple(sorted(values))


def _check_values(key: str, operator: str, values: tuple[str, ...]) -> None:
    if operator in {"<", ">"} and not INTEGER.match(values[0]):
        raise _SyntaxError(f"values[0]: Invalid value: \"{values[0]}\": for 'Gt', 'Lt' operators, the value must be an integer")
    for index, value in enumerate(values):
        if findings := label_value(value):
            raise _SyntaxError(f"values[{index}][{key}]: Invalid value: {quoted(value)}: {'; '.join(findings)}")
