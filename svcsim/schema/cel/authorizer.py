"""The authorizer that expressions may ask: whether the user may do something, or some account may.

An expression is evaluated without waiting, and an authorizer may have to ask somebody else. So an expression is evaluated with the
decisions that are known; where it wants one more, evaluation stops with the question, and begins anew once that is answered.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Final, NamedTuple

from cel_expr_python import cel

from svcsim.meta.names import dns_label, dns_subdomain
from svcsim.schema.cel.functions import Function

_ANY, _BOOL, _TEXT = cel.Type.DYN, cel.Type.BOOL, cel.Type.STRING
_PARTS: Final = ("group", "subresource", "namespace", "name", "fieldSelector", "labelSelector")
"""What may be anything."""
_NEEDED: Final = ("path", "resource")
"""What a question is about, which can't be nothing."""
OF_REQUEST: Final = "requestResource"
"""The field of ``authorizer`` that is about the resource of the request already."""
AUTHORIZER: Final[Mapping[str, str]] = {"account": ""}
"""What ``authorizer`` is: a question of which nothing is known yet."""


class Question(NamedTuple):
    """May somebody do this?"""

    verb: str
    account: str = ""
    """``namespace/name`` of a service account; empty for who made the request."""
    path: str = ""
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    fieldSelector: str = ""  # noqa: N815 - as expressions call it
    labelSelector: str = ""  # noqa: N815


class Ruling(NamedTuple):
    """What was decided; with an error nothing was."""

    allowed: bool
    reason: str = ""
    error: str = ""


class UndecidedError(Exception):
    """An expression wants to know what is not known yet."""

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.question = question


DECIDED: ContextVar[Mapping[Question, Ruling]] = ContextVar("decided")
"""The decisions that are known while an expression is evaluated."""


def _account(asked: dict[str, str], namespace: str, name: str) -> dict[str, str]:
    if dns_subdomain(name):
        raise ValueError("Invalid service account name")
    if dns_label(namespace):
        raise ValueError("Invalid service account namespace")
    return {**asked, "account": f"{namespace}/{name}"}


def _check(asked: dict[str, str], verb: str) -> dict[str, object]:
    question = Question(verb=verb, **{name: value for name, value in asked.items() if name != OF_REQUEST})
    ruling = DECIDED.get().get(question)
    if ruling is None:
        raise UndecidedError(question)
    return ruling._asdict()


def _part(name: str) -> Function:
    return Function(name, _ANY, (_ANY, _TEXT), lambda asked, value: {**asked, name: value})


def _needed(name: str) -> Function:
    def with_part(asked: dict[str, str], value: str) -> dict[str, str]:
        if not value.strip():
            raise ValueError(f"{name} must not be empty")
        return {**asked, name: value}

    return Function(name, _ANY, (_ANY, _TEXT), with_part)


ASKED: Final = (
    *map(_part, _PARTS),
    *map(_needed, _NEEDED),
    Function("serviceAccount", _ANY, (_ANY, _TEXT, _TEXT), _account),
    Function("check", _ANY, (_ANY, _TEXT), _check),
    Function("allowed", _BOOL, (_ANY,), lambda ruling: ruling["allowed"]),
    Function("reason", _TEXT, (_ANY,), lambda ruling: ruling["reason"]),
    Function("errored", _BOOL, (_ANY,), lambda ruling: bool(ruling["error"])),
    Function("error", _TEXT, (_ANY,), lambda ruling: ruling["error"]),
)
