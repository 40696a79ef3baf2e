"""What a validating policy's expressions would say to the objects that it is about: mistakes that don't show before types are known.

Nothing of this refuses a policy: the kinds that it is about may be others tomorrow. Its author is told, in the policy's status.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from svcsim.meta.types import GroupVersionKind, Object
from svcsim.schema.cel.openapi_types import Document
from svcsim.schema.cel.programs import CompileError, typed
from svcsim.schema.cel.request_types import ASKED_AUTHORIZER, NAMESPACE, OVERLOADS, REQUEST
from svcsim.schema.cel.spelling import too_long_to_compile
from svcsim.schema.cel.value_types import DYN, ValueType, object_type


class DescribedKind(NamedTuple):
    """A kind, and the OpenAPI document that describes it."""

    kind: GroupVersionKind
    document: Document

    def __str__(self) -> str:
        return f"{self.kind.group}/{self.kind.version}, Kind={self.kind.kind}"

    @property
    def type(self) -> ValueType | None:
        """The type of its objects; None if the document doesn't describe them."""
        return self.document.type_of_kind(self.kind)


def expression_warnings(spec: Object, kinds: list[DescribedKind], params: DescribedKind | None) -> list[Object]:
    """The ``expressionWarnings`` of a policy about these kinds."""
    return list(_warnings(spec, [(str(kind), _scope(spec, kind, params)) for kind in kinds if kind.type is not None]))


def _warnings(spec: Object, scopes: list[tuple[str, Mapping[str, ValueType]]]) -> Iterator[Object]:
    for index, validation in enumerate(spec.get("validations") or ()):
        for field in ("expression", "messageExpression"):
            text = validation.get(field) or ""
            found = [f"{kind}: {why}\n" for kind, scope in scopes if text and (why := _mistake(text, scope))]
            if found:
                yield {"fieldRef": f"spec.validations[{index}].{field}", "warning": "\n".join(found)}


def _mistake(text: str, scope: Mapping[str, ValueType]) -> str:
    if too_long_to_compile(text):
        return ""
    try:
        typed(text, scope, OVERLOADS)
    except CompileError as error:
        return str(error)
    return ""


def _scope(spec: Object, kind: DescribedKind, params: DescribedKind | None) -> Mapping[str, ValueType]:
    """The variables of expressions about objects of a kind."""
    known: dict[str, ValueType] = {"namespaceObject": NAMESPACE, "request": REQUEST, "authorizer": ASKED_AUTHORIZER}
    known["object"] = known["oldObject"] = kind.type or DYN
    if spec.get("paramKind"):
        known["params"] = (params.type if params is not None else None) or DYN
    variables: dict[str, ValueType] = {}
    for variable in spec.get("variables") or ():
        known["variables"] = object_type(variables)
        try:
            variables = {**variables, variable["name"]: typed(variable["expression"], known, OVERLOADS)}
        except CompileError:
            variables = {**variables, variable["name"]: DYN}
    known["variables"] = object_type(variables)
    return known
