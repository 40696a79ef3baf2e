"""Expressions about requests, as webhooks' conditions and admission policies have them (`svcsim.schema.cel.rules` has those about values).

Their variables may be anything, so that what they name is found out when they are evaluated. ``variables.NAME`` is evaluated when an
expression first names it, and once; where that fails, the expression fails that needs it, and no other.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property, lru_cache
from typing import Final

from svcsim import limits
from svcsim.clock import turn
from svcsim.meta.aside import aside
from svcsim.schema.cel.authorizer import DECIDED, Question, Ruling, UndecidedError
from svcsim.schema.cel.constructions import as_maps, settled
from svcsim.schema.cel.costs import Cost
from svcsim.schema.cel.crossings import EvaluationError, NotPlainError, gives_optional, is_taken
from svcsim.schema.cel.evaluation import CallCostError
from svcsim.schema.cel.given import Given, Sizes
from svcsim.schema.cel.library import general_environment
from svcsim.schema.cel.mistakes import reason
from svcsim.schema.cel.programs import CompileError, Program, parsed
from svcsim.schema.cel.spelling import without_strings
from svcsim.schema.cel.trees import Name, Selected, Tree, boolean, mapped
from svcsim.virtual_loop import VirtualLoop
from svcsim.wall import stopwatch

NAMES: Final = frozenset(("object", "oldObject", "request", "params", "namespaceObject", "variables", "authorizer"))
_VARIABLE: Final = re.compile(r"(?<![\w.])variables\s*\.\s*([A-Za-z_]\w*)", re.ASCII)
_OUT_OF_BUDGET: Final = "validation failed due to running out of cost budget, no further validation rules will be run"
Decide = Callable[[Question], Awaitable[Ruling]]


class RequestExpressionError(Exception):
    """An expression comes to nothing; the text says why."""


_Inlined = tuple[tuple[str, str], ...]
"""Variables that stand as their expressions where they are named, each with its expression, in their order."""


@lru_cache(limits.CEL_REQUEST_PROGRAMS)
def _program(text: str, inlined: _Inlined, *, constructs: bool) -> Program:
    if constructs:
        made = as_maps(text)
        optional = {name for name, variable in inlined if gives_optional(parsed(variable, NAMES))}
        tree = settled(parsed(made.text, NAMES), made.types, optional)
    else:
        tree = parsed(text, NAMES)
    if inlined:
        tree = _Inlining(inlined).of(tree)
    return Program(tree, general_environment(NAMES))


class _Inlining:
    """Puts the expressions of variables where they are named."""

    def __init__(self, inlined: _Inlined) -> None:
        self._left = limits.CEL_PARTS
        self._trees: dict[str, Tree] = {}
        for name, text in inlined:
            self._trees[name] = self.of(parsed(text, NAMES))

    def of(self, tree: Tree) -> Tree:
        """A tree without those variables. Raises `CompileError` for one that becomes too large."""
        self._left -= 1
        if self._left < 0:
            raise CompileError(f"with its variables it has more than {limits.CEL_PARTS} parts")
        if isinstance(tree, Selected) and tree.of == Name("variables", tree.of.at) and tree.name in self._trees:
            return boolean(True) if tree.asked else self.of(self._trees[tree.name])
        return mapped(tree, self.of)


class Turns:
    """Asks expressions about one request: long ones aside, and once many short ones have kept others waiting, those have their turn."""

    def __init__(self) -> None:
        self._began_s = stopwatch()

    async def ask(self, given: Given, program: Program, cost: Cost, decided: Mapping[Question, Ruling]) -> object:
        """What an expression comes to that takes so long. Raises what `Given.ask` does, and `UndecidedError`.

        What it takes beside the expressions counts, too, such as putting a large object into the form of the library.
        """
        is_long = cost.time > limits.CEL_TURN_COST
        if stopwatch() - self._began_s > limits.CEL_TURN_S:
            await _others_turn()
            self._began_s = stopwatch()
        try:
            return await aside(limits.ASIDE_BYTES + 1 if is_long else 0, _asked, given, program, cost, decided)
        except asyncio.CancelledError:  # the thread goes on, for as long as it's left to
            given.abandon()
            raise


async def _others_turn() -> None:
    """Enough turns for a short request to be read and answered. On virtual time nobody waits."""
    if not isinstance(asyncio.get_running_loop(), VirtualLoop):
        for _ in range(limits.CEL_TURNS_OF_OTHERS):
            await turn()


def _asked(given: Given, program: Program, cost: Cost, decided: Mapping[Question, Ruling]) -> object:
    token = DECIDED.set(decided)
    try:
        return given.ask(program, cost)
    finally:
        DECIDED.reset(token)


class Seen:
    """What expressions see of one request for as long as its objects stay as they are, and what has been found out of it.

    Many policies are asked about the same: what they see is put into the CEL library's form once, and whoever authorizes is asked once.
    """

    def __init__(self, values: Mapping[str, object], decide: Decide, turns: Turns, like: "Seen | None" = None) -> None:
        """``values`` by `NAMES`; some of them are another's that is ``like`` this."""
        self._values = {**dict.fromkeys(NAMES), "variables": {}, **values}
        self._decide = decide
        self.turns = turns
        self.sizes: Sizes = Sizes() if like is None else like.sizes
        self.decided: dict[Question, Ruling] = {} if like is None else like.decided

    def but(self, **values: object) -> "Seen":
        """The request with other values for these names."""
        return Seen({**self._values, **values}, self._decide, self.turns, self)

    def given(self, variables: Mapping[str, object]) -> Given:
        """All values, and those of variables that a policy has."""
        if not variables:
            return self._without_variables
        return Given(general_environment(NAMES), {**self._values, "variables": variables}, self.sizes)

    @cached_property
    def _without_variables(self) -> Given:
        return Given(general_environment(NAMES), self._values, self.sizes)

    async def decide(self, question: Question) -> None:
        """Note the answer to a question."""
        self.decided[question] = await self._decide(question)


class RequestScope:
    """What the expressions of one policy are asked about: a request, with parameters or without."""

    def __init__(self, seen: Seen, variables: Mapping[str, str], units: float) -> None:
        """``variables`` are expressions; ``units`` are what all that are asked may cost."""
        self._seen = seen
        self._texts = variables
        self._units = units
        self._time: float = limits.CEL_REQUEST_TIME
        self._variables: dict[str, object] = {}
        self._failures: dict[str, str] = {}
        self._inlined: dict[str, str] = {}
        """Variables that are made anew wherever they are named, and their expressions."""

    async def of(self, text: str, *, constructs: bool = False) -> object:
        """What an expression comes to, which ``constructs`` objects or not. Raises `RequestExpressionError`."""
        named = dict.fromkeys(_VARIABLE.findall(without_strings(text)))
        for name in named:
            if name in self._texts and not any(name in known for known in (self._variables, self._failures, self._inlined)):
                await self._evaluate(name)
        handed = self._variables if self._inlined else named  # what is made anew may name others
        variables = {name: self._variables[name] for name in handed if name in self._variables}
        try:
            return await self._come_to(text, variables, constructs=constructs)
        except RequestExpressionError as error:
            failed = next((name for name in named if name in self._failures), None)
            if failed is None:
                raise
            raise _failed(text, f'composited variable "{failed}" fails to evaluate: {self._failures[failed]}') from error

    async def _evaluate(self, name: str) -> None:
        """What can't be handed to the CEL library as a value, a moment or an optional value, is made anew wherever it is wanted."""
        text = self._texts[name]
        try:
            value = await self.of(text)
        except RequestExpressionError as error:
            if isinstance(error.__cause__, NotPlainError):
                self._inlined[name] = text
            else:
                self._failures[name] = str(error)
            return
        if is_taken(value):
            self._variables[name] = value
        else:
            self._inlined[name] = text

    async def _come_to(self, text: str, variables: dict[str, object], *, constructs: bool) -> object:
        try:
            program = _program(text, tuple(self._inlined.items()), constructs=constructs)
        except CompileError as error:
            raise RequestExpressionError(f"compilation failed: {error}") from error
        given = self._seen.given(variables)
        cost = given.cost(program.costs)
        self._units -= min(cost.units, limits.CEL_CALL_COST)
        self._time -= min(cost.time, limits.CEL_CALL_TIME)
        if self._units < 0 or self._time < 0:
            raise RequestExpressionError(_OUT_OF_BUDGET)
        while True:
            try:
                return await self._seen.turns.ask(given, program, cost, self._seen.decided)
            except UndecidedError as undecided:
                question = undecided.question
            except CallCostError:
                raise _failed(text, "operation cancelled: actual cost limit exceeded") from None
            except EvaluationError as error:
                raise _failed(text, reason(str(error))) from error
            await self._seen.decide(question)


def _failed(text: str, why: str) -> RequestExpressionError:
    return RequestExpressionError(f"expression '{text}' resulted in error: {why}")
