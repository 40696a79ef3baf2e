"""Reading the fields of a stage one by one: each is asked for by its name, type and all, and those nobody asked for are mistakes."""

from collections.abc import Callable, Iterator, Sequence

from svcsim.meta.errors import FieldError
from svcsim.meta.gotemplate.nodes import GoTemplate
from svcsim.meta.jq.errors import JqError
from svcsim.meta.jq.query import Query, parse
from svcsim.meta.names import NameRule, validate_annotations, validate_labels
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json, Object
from svcsim.nodes.staged.templates import StageError, template

_MOST = 2**53 - 1
"""Above that not every whole number is one of its own as a number of jq."""


class Fields:
    """A map of a stage, at a path that mistakes are told with."""

    def __init__(self, value: Json, path: str) -> None:
        self.path = path
        if not isinstance(value, dict):
            raise self.wrong("", "must be a map")
        self._fields: Object = value
        self._known: list[str] = []

    def __contains__(self, name: str) -> bool:
        return self._fields.get(name) is not None

    def wrong(self, name: str, why: str) -> StageError:
        """A mistake in one of the fields."""
        where = ".".join(part for part in (self.path, name) if part)
        return StageError(f"{where}: {why}" if where else why)

    def raw(self, name: str) -> Json:
        """A field of whatever type; None where it isn't there."""
        self._known.append(name)
        return self._fields.get(name)

    def text(self, name: str, default: str = "", *, among: Sequence[str] = (), required: bool = False) -> str:
        value = self.raw(name)
        if value is None and not required:
            return default
        if not isinstance(value, str) or (required and not value):
            raise self.wrong(name, "must be a text" if value is not None else "is missing")
        if among and value not in among:
            raise self.wrong(name, f"must be one of {', '.join(among)}, not {quoted(value)}")
        return value

    def number(self, name: str, default: float | None = None) -> float | None:
        """A whole number from 0 to `_MOST`."""
        value = self.raw(name)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.wrong(name, "must be a whole number, not below 0")
        if value > _MOST:
            raise self.wrong(name, f"must be at most {_MOST}")
        return value

    def flag(self, name: str) -> bool:
        value = self.raw(name)
        if value is not None and not isinstance(value, bool):
            raise self.wrong(name, "must be true or false")
        return bool(value)

    def texts(self, name: str) -> dict[str, str]:
        """A map of texts."""
        value = self.raw(name) or {}
        if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
            raise self.wrong(name, "must be a map of texts")
        return value

    def labels(self, name: str) -> dict[str, str]:
        """Labels that an object can have."""
        return self._checked(name, validate_labels)

    def annotations(self, name: str) -> dict[str, str]:
        """Annotations that an object can have."""
        return self._checked(name, validate_annotations)

    def _checked(self, name: str, check: Callable[[dict[str, str], str], list[FieldError]]) -> dict[str, str]:
        found = self.texts(name)
        for error in check(found, name):
            raise self.wrong(name, error.message)
        return found

    def name_pattern(self, name: str, rule: NameRule) -> str:
        """A name, or a pattern of names, which isn't held against their rule."""
        text = self.text(name)
        if text and not any(sign in text for sign in "*?[") and (findings := rule(text)):
            raise self.wrong(name, f"{quoted(text[:80])} can be the name of none: {findings[0]}")
        return text

    def words(self, name: str) -> tuple[str, ...]:
        """A list of texts, or one text."""
        value = self.raw(name)
        found = [value] if isinstance(value, str) else value or []
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise self.wrong(name, "must be a text, or a list of texts")
        return tuple(found)

    def query(self, name: str, text: str) -> Query:
        """The query that a field has."""
        try:
            return parse(text)
        except JqError as error:
            raise self.wrong(name, f"{quoted(text[:200])} can't be read as a query: {error}") from None

    def template(self, name: str, text: str) -> GoTemplate:
        """The template that a field has."""
        try:
            return template(text)
        except StageError as error:
            raise self.wrong(name, str(error)) from None

    def inner(self, name: str) -> "Fields | None":
        """A field that is a map; None where it isn't there."""
        value = self.raw(name)
        return None if value is None else Fields(value, ".".join(part for part in (self.path, name) if part))

    def each(self, name: str) -> Iterator["Fields"]:
        """The maps in a list."""
        value = self.raw(name) or []
        if not isinstance(value, list):
            raise self.wrong(name, "must be a list")
        path = ".".join(part for part in (self.path, name) if part)
        return (Fields(one, f"{path}[{index}]") for index, one in enumerate(value))

    def end(self) -> None:
        """Raises `StageError` if there are fields that nobody has asked for."""
        for name in self._fields:
            if name not in self._known:
                raise self.wrong(name, f"unknown field; there are {', '.join(dict.fromkeys(self._known))}")
