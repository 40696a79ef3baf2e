"""Field selectors: choosing objects by some of their fields. They know only equality."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from svcsim import limits
from svcsim.meta.errors import bad_request, too_many_terms


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


def parse_fields(text: str) -> FieldSelector:
    """The selector a ``fieldSelector`` parameter spells; a 400 where it can't be understood."""
    requirements: list[FieldRequirement] = []
    terms = _split_terms(text)
    if len(terms) > limits.SELECTOR_TERMS:
        raise too_many_terms(limits.SELECTOR_TERMS)
    for term in sorted(terms):
        match = re.match(r"((?:\\.|[^\\=!]|!(?!=))*)(==|!=|=)(.*)\Z", term, re.DOTALL)
        if not match:
            raise bad_request(f"invalid selector: '{text}'; can't understand '{term}'")
        field, operator, value = match.groups()
        requirements.append(FieldRequirement(field, "!=" if operator == "!=" else "=", _unescape(value)))
    return FieldSelector(requirements)


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
