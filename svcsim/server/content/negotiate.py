"""Content negotiation: what an ``Accept`` header asks for, among what we can give.

An answer has a media type (JSON, YAML or protobuf) and may be a transformation of the object: a Table, or its metadata alone. Clauses are
taken in order of their q-values, and in the order they stand; one that asks for something we don't have is passed over, as a client that
lists several expects. Headers repeat from request to request, so what they come to is remembered.
"""

from typing import Literal, NamedTuple

from svcsim import limits
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError, no_representation, not_acceptable

Media = Literal["json", "yaml", "protobuf"]
As = Literal["", "Table", "PartialObjectMetadata", "PartialObjectMetadataList"]

JSON_TYPE = "application/json"
YAML_TYPE = "application/yaml"
YAML_TYPES = (YAML_TYPE, "application/x-yaml")
"""How clients spell it."""
_MEDIA: dict[str, Media] = {
    "application/json": "json",
    "application/yaml": "yaml",
    "application/x-yaml": "yaml",
    "*/*": "json",
    "application/*": "json",
}
_TRANSFORMATIONS: dict[str, As] = {
    "Table": "Table",
    "PartialObjectMetadata": "PartialObjectMetadata",
    "PartialObjectMetadataList": "PartialObjectMetadataList",
}
_META_VERSIONS = ("v1", "v1beta1")


class Shape(NamedTuple):
    """The form of an answer. ``version`` is that of the meta group's kind it is transformed to."""

    media: Media = "json"
    as_: As = ""
    version: str = "v1"


class Clause(NamedTuple):
    """One alternative of an ``Accept`` header."""

    media_type: str
    parameters: dict[str, str]


PLAIN = Shape()


def accept_clauses(header: str) -> list[Clause]:
    """The alternatives, best first; those with ``q=0`` are left out."""
    found: list[tuple[float, Clause]] = []
    for part in header.split(","):
        media_type, *parameters = (piece.strip() for piece in part.split(";"))
        if not media_type:
            continue
        pairs = {name.strip().lower(): value.strip().strip('"') for name, _, value in (p.partition("=") for p in parameters)}
        quality = _quality(pairs.pop("q", "1"))
        if quality > 0:
            found.append((quality, Clause(media_type.lower(), pairs)))
    return [clause for _, clause in sorted(found, key=lambda item: -item[0])]


def _quality(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return 1.0


class Negotiator:
    """Turns ``Accept`` headers into shapes, for one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._meta_group = dialect.group("meta")
        self._media: dict[str, Media] = {**_MEDIA, dialect.protobuf_media_type: "protobuf"}
        self._supported = (JSON_TYPE, YAML_TYPE, dialect.protobuf_media_type)
        self._protobuf = dialect.protobuf_media_type
        self._known: dict[str, Shape | None] = {"": PLAIN, "*/*": PLAIN, "application/json": PLAIN}

    def shape(self, header: str, *, custom: bool = False, tabular: bool = True) -> Shape:
        """The best we can do for that header. Raises 406 where that is nothing.

        ``custom`` resources have no protobuf form; what isn't ``tabular`` has no rows that it could be shown as.
        """
        shape = self._shape(header)
        if shape.as_ == "Table" and not tabular:
            plain = self._negotiate(header, tabular=False)
            if plain is None:
                raise self._refusal(header)
            shape = plain
        if not custom or shape.media != "protobuf" or shape.as_:
            return shape
        others = ",".join(part for part in header.split(",") if self._protobuf not in part)
        if not others.strip():
            raise not_acceptable(tuple(one for one in self._supported if one != self._protobuf))
        return self._shape(others)

    def _shape(self, header: str) -> Shape:
        if header in self._known:
            shape = self._known[header]
        else:
            shape = self._negotiate(header)
            if len(self._known) < limits.NEGOTIATIONS and len(header) <= limits.NEGOTIATION_CHARS:
                self._known[header] = shape
        if shape is None:
            raise self._refusal(header)
        return shape

    def _refusal(self, header: str) -> StatusError:
        """The 406, naming what we have."""
        known = any(clause.media_type in self._media for clause in accept_clauses(header))
        return not_acceptable(self._supported) if known else no_representation(self._supported)

    def _negotiate(self, header: str, *, tabular: bool = True) -> Shape | None:
        for media_type, parameters in accept_clauses(header):
            media = self._media.get(media_type)
            if media is None:
                continue
            if "as" not in parameters:
                return Shape(media)
            as_ = _TRANSFORMATIONS.get(parameters["as"])
            if as_ == "Table" and (media == "protobuf" or not tabular):
                continue  # tables are for people, and have no protobuf form
            if as_ and parameters.get("g") == self._meta_group and parameters.get("v") in _META_VERSIONS:
                return Shape(media, as_, parameters["v"])
        return None
