"""Expressions about requests, as webhooks' conditions and admission policies have them (`svcsim.schema.cel.rules` has those about values).

Their variables may be anything, so that what they name is found out when they are evaluated. ``variables.NAME`` is evaluated when an
expression first names it, and once; where that fails, the expression fails that needs it, and no other.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from typing import Final

from svcsim import limits
from svcsim.schema.cel.authorizer import DECIDED, Question, Ruling, UndecidedError
from svcsim.schema.cel.crossings import EvaluationError
from svcsim.schema.cel.evaluation import CallCostError
from svcsim.schema.cel.given import Given
from svcsim.schema.cel.library import general_environment
from svcsim.schema.cel.mistakes import reason
from svcsim.schema.cel.programs import CompileError, Program, parsed
from svcsim.schema.cel.spelling import without_strings

NAMES: Final = frozenset(("object", "oldObject", "request", "params", "namespaceObject", "variables", "authorizer"))
_VARIABLE: Final = re.compile(r"(?<![\w.])variables\s*\.\s*([A-Za-z_]\w*)", re.ASCII)
Decide = Callable[[Question], Awaitable[Ruling]]


class RequestExpressionError(Exception):
    """An expression comes to nothing; the text says why."""


@lru_cache(limits.CEL_REQUEST_PROGRAMS)
def _program(text: str) -> Program:
    return Program(parsed(text, NAMES), general_environment(NAMES))


class RequestScope:
    """What the expressions of one policy are asked about: a request, with parameters or without."""

    def __init__(self, values: Mapping[str, object], decide: Decide, variables: Mapping[str, str]) -> None:
        """``values`` by `NAMES`; ``variables`` are expressions."""
        self._values = {**dict.fromkeys(NAMES), **values}
        self._decide = decide
        self._texts = variables
        self._variables: dict[str, object] = {}
        self._failures: dict[str, str] = {}
        self._decided: dict[Question, Ruling] = {}

    async def of(self, text: str) -> object:
        """What an expression comes to. Raises `RequestExpressionError`."""
        named = dict.fromkeys(_VARIABLE.findall(without_strings(text)))
        for name in named:
            if name in self._texts and name not in self._variables and name not in self._failures:
                await self._evaluate(name)
        try:
            return await self._asked(text, {name: self._variables[name] for name in named if name in self._variables})
        except RequestExpressionError as error:
            failed = next((name for name in named if name in self._failures), None)
            if failed is None:
                raise
            why = f'composited variable "{failed}" fails to evaluate: {self._failures[failed]}'
            raise _failed(text, why) from error

    async def _evaluate(self, name: str) -> None:
        try:
            self._variables[name] = await self.of(self._texts[name])
        except RequestExpressionError as error:
            self._failures[name] = str(error)

    async def _asked(self, text: str, variables: dict[str, object]) -> object:
        try:
            program = _program(text)
        except CompileError as error:
            raise RequestExpressionError(f"compilation failed: {error}") from error
        given = Given(general_environment(NAMES), {**self._values, "variables": variables})
        while True:
            token = DECIDED.set(self._decided)
            try:
                return given.ask(program, given.cost(program.costs))
            except UndecidedError as undecided:
                question = undecided.question
            except CallCostError:
                raise RequestExpressionError(
                    f"expression '{text}' resulted in error: operation cancelled: actual cost limit exceeded"
                ) from None
            except EvaluationError as error:
                raise RequestExpressionError(f"expression '{text}' resulted in error: {reason(str(error))}") from None
            finally:
                DECIDED.reset(token)
            self._decided[question] = await self._decide(question)


def _failed(text: str, why: str) -> RequestExpressionError:
    return RequestExpressionError(f"expression '{text}' resulted in error: {why}")
