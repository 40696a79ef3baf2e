"""Whether the addition of a definition to a group in the API's own domains was approved: an annotation has to say so."""

from typing import NamedTuple

from svcsim.dialect import Dialect
from svcsim.meta.go_urls import parse_url
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object

_SEE = "see https://github.com/kubernetes/enhancements/pull/1111"


class Approval(NamedTuple):
    """What the annotation says."""

    reason: str
    """In the words of the condition that tells of it."""
    message: str

    @property
    def is_given(self) -> bool:
        return self.reason == "ApprovedAnnotation"


MISSING, INVALID = "MissingAnnotation", "InvalidAnnotation"


def approval_annotation(dialect: Dialect) -> str:
    """The annotation's name."""
    return f"api-approved.{dialect.domain}"


def approval(definition: Object, dialect: Dialect) -> Approval | None:
    """The API approval of a custom resource definition; None if its group isn't protected."""
    group: str = (definition.get("spec") or {}).get("group") or ""
    if not any(group == own or group.endswith(f".{own}") for own in (dialect.group_suffix, dialect.domain)):
        return None
    annotation = approval_annotation(dialect)
    said: str = ((definition.get("metadata") or {}).get("annotations") or {}).get(annotation) or ""
    demand = f'protected groups must have approval annotation "{annotation}"'
    if not said:
        return Approval(MISSING, f"{demand}, {_SEE}")
    if said.startswith("unapproved"):
        return Approval("UnapprovedAnnotation", f"not approved: {quoted(said)}")
    if _is_url(said):
        return Approval("ApprovedAnnotation", f"approved in {said}")
    return Approval(INVALID, f'{demand} with either a URL or a reason starting with "unapproved", {_SEE}')


def _is_url(text: str) -> bool:
    """Whether it names a scheme and a host."""
    try:
        url = parse_url(text)
    except ValueError:
        return False
    return bool(url.scheme and url.host)
