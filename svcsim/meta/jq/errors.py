"""How queries break off."""

from svcsim.meta.types import Json


class JqError(Exception):
    """A query that can't be read, or that breaks off."""

    @property
    def caught(self) -> Json:
        """What ``catch`` is given."""
        return str(self)


class SpentError(JqError):
    """A query that does or makes too much: it isn't caught."""


class RaisedError(JqError):
    """What a query itself says with ``error``."""

    def __init__(self, value: Json) -> None:
        super().__init__(value if isinstance(value, str) else "an error that is no text")
        self._value = value

    @property
    def caught(self) -> Json:
        return self._value


class LabelError(JqError):
    """On the way to the ``label`` that it names."""

    def __init__(self, label: object) -> None:
        super().__init__("break")
        self.label = label
