"""Functions of expressions for quantities and for semantic versions, which are texts here, checked and in a form that equal ones share.

Both are compared by functions of the same names. They can't be taken for each other: a version has two dots, a quantity at most one.
"""

import re
from typing import NamedTuple

from cel_expr_python import cel

from svcsim.meta import quantity
from svcsim.schema.cel.functions import QUANTITY, SEMVER, Function

_BOOL, _INT, _TEXT = cel.Type.BOOL, cel.Type.INT, cel.Type.STRING
_NUMBER = r"(?:0|[1-9]\d*)"
_PART = rf"(?:{_NUMBER}|\d*[A-Za-z-][0-9A-Za-z-]*)"
_BUILD_PART = "[0-9A-Za-z-]+"
_VERSION = re.compile(
    rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})(?:-({_PART}(?:\.{_PART})*))?(?:\+{_BUILD_PART}(?:\.{_BUILD_PART})*)?",
    re.ASCII,
)
_LEADING_ZEROS = re.compile(r"^0+(?=\d)")
_LARGEST_NUMBER = 2**64 - 1
_LARGEST_WHOLE = 2**63 - 1
"""A quantity that isn't less isn't known exactly: larger ones become as large as this."""


class _Version(NamedTuple):
    """A semantic version, in the order of versions: one that is yet to be released comes before the release."""

    major: int
    minor: int
    patch: int
    released: bool
    parts: tuple[tuple[bool, int, str], ...]
    """The parts of the pre-release: numbers come before words."""


def _is_quantity(text: str) -> bool:
    try:
        quantity.parse(text)
    except ValueError:
        return False
    return True


def canonical_amount(text: str) -> str:
    """A quantity in the one form that equal ones have. Raises `ValueError` for another text."""
    return _written(quantity.parse(text))


def _written(amount: quantity.Amount) -> str:
    """In the one form that equal quantities have, whatever suffix each was written with."""
    return str(quantity.Amount(amount.number))


def _sum(one: str, other: str | int) -> str:
    return _written(quantity.parse(one) + quantity.of(other))


def _difference(one: str, other: str | int) -> str:
    return _written(quantity.parse(one) - quantity.of(other))


def _whole(text: str) -> int:
    if not _is_whole(text):
        raise ValueError("cannot convert value to integer")
    return int(quantity.parse(text).number)


def _is_whole(text: str) -> bool:
    number = quantity.parse(text).number
    return number % 1 == 0 and abs(number) < _LARGEST_WHOLE


def _normalized(text: str) -> str:
    """A version as people write it: with a v, or with less than three numbers."""
    parts = [_LEADING_ZEROS.sub("", part) for part in text.removeprefix("v").split(".", 2)]
    if len(parts) < 3 and any(mark in parts[-1] for mark in "+-"):
        raise ValueError("Short version cannot contain PreRelease/Build meta data")
    return ".".join([*parts, *("0",) * (3 - len(parts))])


def _is_version(text: str, normalize: bool = False) -> bool:
    try:
        canonical_version(text, normalize)
    except ValueError:
        return False
    return True


def _found(text: str) -> re.Match[str] | None:
    """A version in parts. None of its numbers is larger than a computer counts."""
    found = _VERSION.fullmatch(text)
    if found is None:
        return None
    numbers = [found[1], found[2], found[3], *(part for part in (found[4] or "").split(".") if part.isdigit())]
    return found if all(len(number) <= len(str(_LARGEST_NUMBER)) and int(number) <= _LARGEST_NUMBER for number in numbers) else None


def canonical_version(text: str, normalize: bool = False) -> str:
    """A semantic version in the one form that equal ones have. Raises `ValueError` for another text."""
    version = _normalized(text) if normalize else text
    if _found(version) is None:
        raise ValueError("No Major.Minor.Patch elements found")
    return version.partition("+")[0]  # what it was built from makes no difference


def _version(text: str) -> _Version:
    found = _found(text)
    if found is None:
        raise ValueError(f"{text} is no semantic version")
    parts = tuple((not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in (found[4] or "").split(".") if part)
    return _Version(int(found[1]), int(found[2]), int(found[3]), found[4] is None, parts)


def _compared(one: str, other: str) -> int:
    if _VERSION.fullmatch(one):
        version, than = _version(one), _version(other)
        return (version > than) - (version < than)
    difference = quantity.parse(one).number - quantity.parse(other).number
    return (difference > 0) - (difference < 0)


AMOUNTS = (
    Function("isQuantity", _BOOL, (_TEXT,), _is_quantity, member=False),
    Function("quantity", QUANTITY, (_TEXT,), canonical_amount, member=False),
    Function("add", QUANTITY, (QUANTITY, QUANTITY), _sum),
    Function("add", QUANTITY, (QUANTITY, _INT), _sum),
    Function("sub", QUANTITY, (QUANTITY, QUANTITY), _difference),
    Function("sub", QUANTITY, (QUANTITY, _INT), _difference),
    Function("isInteger", _BOOL, (QUANTITY,), _is_whole),
    Function("asInteger", _INT, (QUANTITY,), _whole),
    Function("asApproximateFloat", cel.Type.DOUBLE, (QUANTITY,), lambda one: float(quantity.parse(one).number)),
    Function("sign", _INT, (QUANTITY,), lambda one: _compared(one, "0")),
    Function("isSemver", _BOOL, (_TEXT,), _is_version, member=False),
    Function("isSemver", _BOOL, (_TEXT, _BOOL), _is_version, member=False),
    Function("semver", SEMVER, (_TEXT,), canonical_version, member=False),
    Function("semver", SEMVER, (_TEXT, _BOOL), canonical_version, member=False),
    Function("major", _INT, (SEMVER,), lambda one: _version(one).major),
    Function("minor", _INT, (SEMVER,), lambda one: _version(one).minor),
    Function("patch", _INT, (SEMVER,), lambda one: _version(one).patch),
    *(
        function
        for kind in (QUANTITY, SEMVER)
        for function in (
            Function("isGreaterThan", _BOOL, (kind, kind), lambda one, other: _compared(one, other) > 0),
            Function("isLessThan", _BOOL, (kind, kind), lambda one, other: _compared(one, other) < 0),
            Function("compareTo", _INT, (kind, kind), _compared),
        )
    ),
)
