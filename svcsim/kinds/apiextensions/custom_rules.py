"""What is wrong with a custom resource: first by its schema's keywords, then, if nothing is, by its rules in CEL."""

from functools import cached_property
from typing import TYPE_CHECKING

from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.findings import told
from svcsim.meta.types import Object
from svcsim.registry.kind import Context
from svcsim.schema.structural import mentions
from svcsim.schema.structural_validation import NOTHING, Check, value_checker
from svcsim.schema.types import Structural

if TYPE_CHECKING:
    from svcsim.schema.cel.rules import RuleWalk

_BLOCKING = ("FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany", "FieldValueTypeInvalid")
"""Findings after which rules aren't asked: they may rest on what isn't there."""
_NOT_ASKED = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"


class Rules:
    """The rules of one version of a kind, compiled when they are first asked."""

    def __init__(self, root: Structural, prefix: str) -> None:
        self._root = root
        self._prefix = prefix

    @cached_property
    def _check(self) -> Check:
        return value_checker(self._root.document, self._prefix)

    @cached_property
    def _walk(self) -> "RuleWalk | None":
        """None where there is no rule at all."""
        if not mentions(self._root.document, f"{self._prefix}validations"):
            return None
        from svcsim.schema.cel.rules import RuleWalk  # noqa: PLC0415 - loads the CEL library, which most clusters never need

        return RuleWalk(self._root, self._prefix)

    def of_new(self, obj: Object, _context: Context) -> list[FieldError]:
        """All that is wrong with a new object."""
        return self._findings(obj, None)

    def of_change(self, new: Object, old: Object, _context: Context) -> list[FieldError]:
        """All that is wrong with what has changed in an object."""
        return self._findings(new, old)

    def _findings(self, new: Object, old: Object | None) -> list[FieldError]:
        found: list[FieldError] = told(lambda found: self._check(new, NOTHING if old is None else old, "", found))
        if old is not None and any(map(_is_duplicate, found)) and self._had_duplicates(old):
            found = [finding for finding in found if not _is_duplicate(finding)]
        if self._walk is None:
            return found
        if any(finding.type in _BLOCKING for finding in found):
            return [*found, invalid_value("<nil>", "null", _NOT_ASKED)]
        return found + self._walk.findings(new, old)

    def _had_duplicates(self, old: Object) -> bool:
        """Whether lists held what they may no longer hold before the change: then it is mended step by step, wherever it stands."""
        return any(map(_is_duplicate, told(lambda found: self._check(old, NOTHING, "", found))))


def _is_duplicate(finding: FieldError) -> bool:
    return finding.type == "FieldValueDuplicate"
