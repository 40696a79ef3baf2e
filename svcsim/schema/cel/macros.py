"""What the CEL library leaves undone when it parses an expression: loops with two variables, and functions in namespaces.

Two variables of a loop stand for an index and an item, or for a key and a value.
"""

from collections.abc import Callable
from typing import NamedTuple

from svcsim.schema.cel.functions import NAMED_TYPES
from svcsim.schema.cel.trees import Call, Entries, Loop, Name, Selected, Tree, Written, boolean, integer, mapped

_RESULT = "@result"
_INSERTED, _MERGED = "@inserted", "@merged"
_TYPES = ("google.protobuf.", *NAMED_TYPES)
"""What the names of types begin with that have several parts."""
_LOGIC = {"all": "_&&_", "exists": "_||_"}


class MacroError(Exception):
    """A macro that isn't used as it has to be; ``at`` is where."""

    def __init__(self, at: int, told: str) -> None:
        super().__init__(told)
        self.at = at


def expanded(tree: Tree, variables: frozenset[str]) -> Tree:
    """An expression of these variables with all its macros, and with the full names of functions. Raises `MacroError`."""
    tree = _macro(tree) if isinstance(tree, Call) and tree.member else tree
    if isinstance(tree, Name):
        return tree
    if isinstance(tree, Selected):
        space = namespace(tree, variables)
        if space.startswith(_TYPES):
            return Name(space, tree.at)
    elif isinstance(tree, Loop):
        return _expanded_loop(tree, variables)
    elif isinstance(tree, Call) and tree.member:
        space = namespace(tree.arguments[0], variables)
        if space:
            tree = Call(f"{space}.{tree.function}", tree.arguments[1:], at=tree.at)
    return mapped(tree, lambda one: expanded(one, variables))


def _expanded_loop(loop: Loop, variables: frozenset[str]) -> Loop:
    within = variables | {loop.item, loop.name, loop.second}
    return loop._replace(
        range=expanded(loop.range, variables),
        start=expanded(loop.start, variables),
        condition=expanded(loop.condition, within),
        step=expanded(loop.step, within),
        result=expanded(loop.result, variables | {loop.name}),
    )


def namespace(tree: Tree, variables: frozenset[str]) -> str:
    """The name that a chain of names is where its first is no variable; empty for anything else."""
    match tree:
        case Name(name):
            return "" if name in variables else name
        case Selected(of, name, False):
            before = namespace(of, variables)
            return f"{before}.{name}" if before else ""
    return ""


def _macro(call: Call) -> Tree:
    make = _MACROS.get((call.function, len(call.arguments) - 1))
    if make is None:
        return call
    range_, first, second, *more = call.arguments
    if not isinstance(first, Name) or not isinstance(second, Name):
        wrong = first if not isinstance(first, Name) else second
        raise MacroError(wrong.at, "argument must be a simple name")
    if first.name == second.name:
        raise MacroError(second.at, f"duplicate variable name: {first.name}")
    return make(_Steps(range_, first.name, second.name, call.function, call.at), *more)


class _Steps(NamedTuple):
    """What all loops with two variables have in common."""

    range: Tree
    first: str
    second: str
    function: str
    at: int

    def loop(self, start: Tree, step: Tree, condition: Tree | None = None, result: Tree | None = None) -> Tree:
        kept = boolean(True) if condition is None else condition
        made = Name(_RESULT, self.at) if result is None else result
        return Loop(self.first, self.range, _RESULT, start, kept, step, made, self.second, self.at)

    def call(self, function: str, *arguments: Tree) -> Tree:
        return Call(function, arguments, at=self.at)

    @property
    def so_far(self) -> Tree:
        return Name(_RESULT, self.at)


def _logic(steps: _Steps, predicate: Tree) -> Tree:
    every = steps.function == "all"
    undecided = steps.so_far if every else steps.call("!_", steps.so_far)
    step = steps.call(_LOGIC[steps.function], steps.so_far, predicate)
    return steps.loop(boolean(every), step, steps.call("@not_strictly_false", undecided))


def _exists_one(steps: _Steps, predicate: Tree) -> Tree:
    more = steps.call("_+_", steps.so_far, integer(1))
    step = steps.call("_?_:_", predicate, more, steps.so_far)
    return steps.loop(integer(0), step, result=steps.call("_==_", steps.so_far, integer(1)))


def _if(steps: _Steps, conditions: tuple[Tree, ...], step: Tree) -> Tree:
    return steps.call("_?_:_", conditions[0], step, steps.so_far) if conditions else step


def _list(steps: _Steps, *given: Tree) -> Tree:
    longer = steps.call("_+_", steps.so_far, Written((given[-1],), at=steps.at))
    return steps.loop(Written((), at=steps.at), _if(steps, given[:-1], longer))


def _map(steps: _Steps, *given: Tree) -> Tree:
    larger = steps.call(_INSERTED, steps.so_far, Name(steps.first, steps.at), given[-1])
    return steps.loop(Entries((), at=steps.at), _if(steps, given[:-1], larger))


def _map_entry(steps: _Steps, *given: Tree) -> Tree:
    return steps.loop(Entries((), at=steps.at), _if(steps, given[:-1], steps.call(_MERGED, steps.so_far, given[-1])))


_MACROS: dict[tuple[str, int], Callable[..., Tree]] = {
    ("all", 3): _logic,
    ("exists", 3): _logic,
    ("existsOne", 3): _exists_one,
    ("exists_one", 3): _exists_one,
    ("transformList", 3): _list,
    ("transformList", 4): _list,
    ("transformMap", 3): _map,
    ("transformMap", 4): _map,
    ("transformMapEntry", 3): _map_entry,
    ("transformMapEntry", 4): _map_entry,
}
