"""Label and field selectors: choosing objects by what is written on them.

Both are parsed once into requirements and compiled into one function, because a list or a watch asks it of every object it passes.
Label selectors come as strings (``app=web,tier in (a,b),!old``) and as objects (``matchLabels``, ``matchExpressions``); both become the
same type. Field selectors know only equality.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from svcsim import limits
from svcsim.meta.errors import FieldError, StatusError, bad_request, invalid_value
from svcsim.meta.names import label_value, qualified_name
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object

Labels: TypeAlias = Mapping[str, str]
Matcher: TypeAlias = Callable[[Labels], bool]

_TOKEN = re.compile(r"[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^ \t\r\n=!(),<>]+)|\Z)")
WORD_OPERATORS = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}
"""Operators as objects spell them, and their signs."""
_FEW_REQUIREMENTS = 8
"""So many are asked one after the other, which takes less than putting them in order."""
_BINARY = ("in", "notin", "=", "==", "!=", ">", "<")
_INTEGER = re.compile(r"[-+]?[0-9]{1,19}\Z")


class Requirement(NamedTuple):
    """One condition on one label. ``operator`` is one of ``= == != in notin exists ! > <``; ``values`` are sorted."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        """As a selector string spells it."""
        if self.operator == "exists":
            return self.key
        if self.operator == "!":
            return f"!{self.key}"
        if self.operator in {"in", "notin"}:
            return f"{self.key} {self.operator} ({','.join(self.values)})"
        return f"{self.key}{self.operator}{self.values[0]}"


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
        self.matches = matches = _nothing if self.impossible else _compiled(self.requirements)
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


class FieldRequirement(NamedTuple):
    """One condition on one field. ``operator`` is ``=`` or ``!=``."""

    field: str
    operator: str
    value: str

    def __str__(self) -> str:
        """As a selector string spells it."""
        escaped = self.value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=")
        return f"{self.field}{self.operator}{escaped}"


class FieldSelector:
    """A parsed field selector. A field that isn't there counts as empty."""

    __slots__ = ("_excluded", "exact", "impossible", "requirements")

    def __init__(self, requirements: Iterable[FieldRequirement] = ()) -> None:
        self.requirements = tuple(requirements)
        self._excluded: dict[str, set[str]] = {}
        for requirement in self.requirements:
            if requirement.operator == "!=":
                self._excluded.setdefault(requirement.field, set()).add(requirement.value)
        self.exact = {r.field: r.value for r in self.requirements if r.operator == "="}
        """Fields a match must have with just this value."""
        self.impossible = any(r.operator == "=" and self.exact[r.field] != r.value for r in self.requirements)
        """Wants two values of one field."""

    @property
    def asked(self) -> list[str]:
        """The fields it looks at."""
        return [*self.exact, *self._excluded]

    @property
    def empty(self) -> bool:
        """Whether everything matches."""
        return not self.requirements

    def matches(self, fields: Mapping[str, str]) -> bool:
        """Whether all requirements hold. However many there are, each field is looked at once or twice."""
        if self.impossible:
            return False
        for field, value in self.exact.items():
            if fields.get(field, "") != value:
                return False
        return all(fields.get(field, "") not in excluded for field, excluded in self._excluded.items())

    def __str__(self) -> str:
        """The selector as a string that parses to an equal one."""
        return ",".join(map(str, self.requirements))

    def __repr__(self) -> str:
        return f"FieldSelector({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return self.requirements == other.requirements if isinstance(other, FieldSelector) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.requirements)


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
            raise _too_many_terms()
        separator = tokens.take()
        if separator not in {"", ","}:
            raise bad_request(f"found '{separator}', expected: ',' or 'end of string'")
        if separator and tokens.next != "!" and not tokens.at_word:
            raise bad_request(f"found '{tokens.next}', expected: identifier after ','")
    return LabelSelector(requirements)


def _too_many_terms() -> StatusError:
    return bad_request(f"the selector asks for too much: there may be {limits.SELECTOR_TERMS} requirements and values in it together")


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


def parse_fields(text: str) -> FieldSelector:
    """The selector a ``fieldSelector`` parameter spells; a 400 where it can't be understood."""
    requirements: list[FieldRequirement] = []
    terms = _split_terms(text)
    if len(terms) > limits.SELECTOR_TERMS:
        raise _too_many_terms()
    for term in sorted(terms):
        match = re.match(r"((?:\\.|[^\\=!]|!(?!=))*)(==|!=|=)(.*)\Z", term, re.DOTALL)
        if not match:
            raise bad_request(f"invalid selector: '{text}'; can't understand '{term}'")
        field, operator, value = match.groups()
        requirements.append(FieldRequirement(field, "!=" if operator == "!=" else "=", _unescape(value)))
    return FieldSelector(requirements)


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
    if operator in {"<", ">"} and not _INTEGER.match(values[0]):
        raise _SyntaxError(f"values[0]: Invalid value: \"{values[0]}\": for 'Gt', 'Lt' operators, the value must be an integer")
    for index, value in enumerate(values):
        if findings := label_value(value):
            raise _SyntaxError(f"values[{index}][{key}]: Invalid value: {quoted(value)}: {'; '.join(findings)}")


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


def _nothing(_labels: Labels) -> bool:
    return False


def _compiled(requirements: tuple[Requirement, ...]) -> Matcher:
    """One function for all requirements. Where there are many, it asks no more of them than there are labels to ask about."""
    if len(requirements) > _FEW_REQUIREMENTS:
        return _by_label(requirements)
    return _all_of([_matcher(requirement) for requirement in requirements])


def _all_of(matchers: list[Matcher]) -> Matcher:
    if len(matchers) == 1:
        return matchers[0]

    def matches(labels: Labels) -> bool:
        for matcher in matchers:  # noqa: SIM110 - all() with a generator takes twice the time
            if not matcher(labels):
                return False
        return True

    return matches


class _LabelRule:
    """All that a selector wants of one label."""

    def __init__(self) -> None:
        self.needed = False
        """The label has to be there."""
        self._others: dict[Requirement, Matcher] = {}
        self._allowed: set[str] | None = None
        self._excluded: set[str] = set()

    def add(self, requirement: Requirement) -> None:
        """One more."""
        _, operator, values = requirement
        self.needed = self.needed or operator not in {"!", "notin", "!="}
        if operator in {"notin", "!="}:
            self._excluded.update(values)
        elif operator in {"=", "==", "in"}:
            self._allowed = set(values) if self._allowed is None else self._allowed.intersection(values)
        else:
            self._others[requirement] = _matcher(requirement)

    def holds(self, value: str, labels: Labels) -> bool:
        """Whether it does for a label that is there."""
        if value in self._excluded or (self._allowed is not None and value not in self._allowed):
            return False
        return all(matcher(labels) for matcher in self._others.values())


def _by_label(requirements: tuple[Requirement, ...]) -> Matcher:
    """Ask of each label that is there what is wanted of it, and whether those are there that have to be."""
    rules: dict[str, _LabelRule] = {}
    for requirement in requirements:
        rules.setdefault(requirement.key, _LabelRule()).add(requirement)
    needed = {key: None for key, rule in rules.items() if rule.needed}

    def matches(labels: Labels) -> bool:
        if len(needed) > len(labels) or not needed.keys() <= labels.keys():
            return False
        return all(rules[key].holds(value, labels) for key, value in labels.items() if key in rules)

    return matches


def _integer(text: str) -> int | None:
    """A number of 64 bits."""
    number = int(text) if _INTEGER.match(text) else None
    return None if number is None or not -(1 << 63) <= number < 1 << 63 else number


def _matcher(requirement: Requirement) -> Matcher:
    key, operator, values = requirement
    if operator == "exists":
        return lambda labels: key in labels
    if operator == "!":
        return lambda labels: key not in labels
    if operator in {">", "<"}:
        return _number_matcher(key, operator, values[0])
    if operator in {"notin", "!="}:
        excluded = frozenset(values)
        return lambda labels: key not in labels or labels[key] not in excluded
    if len(values) == 1:
        wanted = values[0]
        return lambda labels: labels.get(key) == wanted
    included = frozenset(values)
    return lambda labels: labels.get(key) in included


def _number_matcher(key: str, operator: str, text: str) -> Matcher:
    """Node affinity may hold anything: what is no number is neither more nor less than one."""
    bound = _integer(text)

    def matches(labels: Labels) -> bool:
        number = _integer(labels.get(key, ""))
        if number is None or bound is None:
            return False
        return number > bound if operator == ">" else number < bound

    return matches


def _split_terms(text: str) -> list[str]:
    """The terms between commas; a comma behind a backslash is part of a value."""
    return [term for term in re.findall(r"(?:\\.|[^\\,]|\\\Z)+", text, re.DOTALL) if term]


def _unescape(value: str) -> str:
    if "\\" not in value and "=" not in value:
        return value
    parts: list[str] = []
    for match in re.finditer(r"\\(.?)|(.)", value, re.DOTALL):
        escaped, plain = match.groups()
        if plain is None:
            if not escaped or escaped not in "\\,=":
                raise bad_request(f"invalid field selector: invalid escape sequence: \\{escaped}")
            parts.append(escaped)
        elif plain == "=":
            raise bad_request(f"invalid field selector: unescaped character in value: {ord(plain)}")
        else:
            parts.append(plain)
    return "".join(parts)
