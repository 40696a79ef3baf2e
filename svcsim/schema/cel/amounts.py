"""Functions of expressions for quantities and for semantic versions, which are texts here, checked and in canonical form.

Both are compared by functions of the same names. They can't be taken for each other: a version has two dots, a quantity at most one.
"""

import re
from typing import NamedTuple

from cel_expr_python import cel

from svcsim.meta import quantity
from svcsim.schema.cel.functions import QUANTITY, SEMVER, Function

_BOOL, _INT, _TEXT = cel.Type.BOOL, cel.Type.INT, cel.Type.STRING
_NUMBER = r"(?:0|[1-9]\d*)"
_VERSION = re.compile(rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?", re.ASCII)
_LEADING_ZEROS = re.compile(r"\b0+(?=\d)")


class _Version(NamedTuple):
    """A semantic version, in the order of versions: one that is yet to be released comes before the release."""

    major: int
    minor: int
    patch: int
    released: bool
    parts: tuple[tuple[bool, int, str], ...]
    """Of what stands behind the dash: numbers come before words."""


def _is_quantity(text: str) -> bool:
    try:
        quantity.parse(text)
    except ValueError:
        return False
    return True


def _sum(one: str, other: str | int) -> str:
    return str(quantity.parse(one) + quantity.of(other))


def _difference(one: str, other: str | int) -> str:
    return str(quantity.parse(one) - quantity.of(other))


def _whole(text: str) -> int:
    number = quantity.parse(text).number
    if number % 1:
        raise ValueError("cannot convert value to integer")
    return int(number)


def _normalized(text: str) -> str:
    """A version as people write it: with a v, or with less than three numbers."""
    numbers, mark, rest = text.removeprefix("v").partition("-") if "-" in text else text.removeprefix("v").partition("+")
    parts = [_LEADING_ZEROS.sub("", part) for part in numbers.split(".")]
    return ".".join([*parts, *("0",) * (3 - len(parts))]) + mark + rest


def _is_version(text: str, normalize: bool = False) -> bool:
    return bool(_VERSION.fullmatch(_normalized(text) if normalize else text))


def _semver(text: str, normalize: bool = False) -> str:
    version = _normalized(text) if normalize else text
    if not _VERSION.fullmatch(version):
        raise ValueError(f"No Major.Minor.Patch elements found in {text}")
    return version


def _version(text: str) -> _Version:
    found = _VERSION.fullmatch(text)
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
    Function("quantity", QUANTITY, (_TEXT,), quantity.canonical, member=False),
    Function("add", QUANTITY, (QUANTITY, QUANTITY), _sum),
    Function("add", QUANTITY, (QUANTITY, _INT), _sum),
    Function("sub", QUANTITY, (QUANTITY, QUANTITY), _difference),
    Function("sub", QUANTITY, (QUANTITY, _INT), _difference),
    Function("isInteger", _BOOL, (QUANTITY,), lambda one: quantity.parse(one).number % 1 == 0),
    Function("asInteger", _INT, (QUANTITY,), _whole),
    Function("asApproximateFloat", cel.Type.DOUBLE, (QUANTITY,), lambda one: float(quantity.parse(one).number)),
    Function("sign", _INT, (QUANTITY,), lambda one: _compared(one, "0")),
    Function("isSemver", _BOOL, (_TEXT,), _is_version, member=False),
    Function("isSemver", _BOOL, (_TEXT, _BOOL), _is_version, member=False),
    Function("semver", SEMVER, (_TEXT,), _semver, member=False),
    Function("semver", SEMVER, (_TEXT, _BOOL), _semver, member=False),
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
