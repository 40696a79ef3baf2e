"""Conditions on labels, compiled into one function: a list or a watch asks it of every object it passes."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

Labels: TypeAlias = Mapping[str, str]
Matcher: TypeAlias = Callable[[Labels], bool]

_FEW_REQUIREMENTS = 8
"""So many are asked one after the other, which takes less than putting them in order."""
INTEGER = re.compile(r"[-+]?[0-9]{1,19}\Z")


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


def nothing(_labels: Labels) -> bool:
    """What matches no labels at all."""
    return False


def compiled(requirements: tuple[Requirement, ...]) -> Matcher:
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
    number = int(text) if INTEGER.match(text) else None
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
