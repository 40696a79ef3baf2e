"""Query parameters as the API reads them.

Conversions are lenient where the field's servers are (a boolean is true unless it says otherwise) and strict where they are (a number
that is none is a 400 in the words clients know).
"""

from typing import TypeAlias
from urllib.parse import parse_qs

from svcsim.meta.errors import bad_request
from svcsim.meta.go_integers import read_decimal

Query: TypeAlias = dict[str, list[str]]

_FALSE = ("0", "false")


def parse_query(raw: str) -> Query:
    """Values by name, in the order they stand; a name without a value has an empty one. Costs nothing where there is no query."""
    if not raw:
        return {}
    return parse_qs(raw, keep_blank_values=True, errors="replace")


def text(query: Query, name: str) -> str:
    """The first value; empty where there is none."""
    values = query.get(name)
    return values[0] if values else ""


def flag(query: Query, name: str) -> bool:
    """True where the parameter stands at all and is neither ``0`` nor ``false``."""
    values = query.get(name)
    return values is not None and values[0].lower() not in _FALSE


def optional_flag(query: Query, name: str) -> bool | None:
    """As `flag`; None where the parameter isn't given."""
    return flag(query, name) if name in query else None


def integer(query: Query, name: str) -> int | None:
    """A whole number; None where it isn't given or empty. Raises 400."""
    value = text(query, name)
    if not value:
        return None
    try:
        return read_decimal(value, 64, "ParseInt")
    except ValueError as error:
        raise bad_request(str(error)) from None
