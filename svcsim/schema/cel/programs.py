"""Expressions made ready to be asked: parsed, with all macros, their types checked, and put into the CEL library's form."""

from collections.abc import Collection, Mapping
from functools import cached_property, lru_cache

from cel_expr_python import cel

from svcsim import limits
from svcsim.schema.cel import beyond_ascii
from svcsim.schema.cel.calls import has_own
from svcsim.schema.cel.checker import checked
from svcsim.schema.cel.constructions import Constructing
from svcsim.schema.cel.costs import Costs
from svcsim.schema.cel.library import PARSER, evaluable
from svcsim.schema.cel.macros import MacroError, expanded
from svcsim.schema.cel.mistakes import at_offset, told
from svcsim.schema.cel.overloads import Overloads
from svcsim.schema.cel.pieces import Pieces
from svcsim.schema.cel.presence import tolerant
from svcsim.schema.cel.trees import Tree, tree
from svcsim.schema.cel.value_types import ValueType


class CompileError(Exception):
    """An expression that can't be compiled; the text says why, and where."""


class Program:
    """An expression ready to be asked."""

    def __init__(self, parsed: Tree, environment: cel.Env) -> None:
        self.tree = evaluable(parsed)
        self._environment = environment
        self._tolerant: Program | None = None
        self.costs = Costs(self.tree)
        self.pieces = Pieces(environment, self.tree)

    @cached_property
    def compiled(self) -> cel.Expression | None:
        """As the library asks it; None where it calls functions that the library doesn't have."""
        return None if has_own(self.tree) else self.pieces.compiled(self.tree)

    def tolerant(self, variables: Collection[str]) -> "Program":
        """The program that also accepts values without fields for these variables: see `svcsim.schema.cel.presence`."""
        if self._tolerant is None:
            self._tolerant = Program(tolerant(self.tree, variables), self._environment)
        return self._tolerant


def parsed(text: str, variables: frozenset[str], parser: cel.Env = PARSER) -> Tree:
    """The tree of an expression about these variables. Raises `CompileError`."""
    try:
        return expanded(_read(text, parser), variables)
    except RuntimeError as error:  # what the library raises for whatever it can't parse
        raise CompileError(told(str(error)).strip()) from None
    except MacroError as error:
        raise CompileError(at_offset(text, error.at, str(error))) from None


@lru_cache(limits.CEL_PARSED)
def _read(text: str, parser: cel.Env) -> Tree:
    return beyond_ascii.read(text, lambda one: tree(parser.compile(one, disable_check=True).serialize()))


def typed(text: str, scope: Mapping[str, ValueType], overloads: Overloads, constructing: Constructing | None = None) -> ValueType:
    """The type of what an expression comes to, which is compiled as ``constructing`` says where it may construct objects.

    Raises `CompileError` for one whose types don't fit.
    """
    names, made = frozenset(scope), constructing or Constructing(text)
    try:
        read = parsed(made.text, names, overloads.parser)
    except CompileError:
        if made.text != text:
            parsed(text, names, overloads.parser)  # tells it of what the author has written
        raise
    found = checked(read, scope, overloads, made.types)
    if found.mistakes:
        raise CompileError("\n".join(at_offset(text, made.as_written(at), why) for at, why in found.mistakes))
    return found.type
