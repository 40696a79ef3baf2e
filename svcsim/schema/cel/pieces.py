"""Parts of one expression, made ready to be asked: how it is cut around what can't be asked in one go.

`svcsim.schema.cel.evaluation` asks them. What was made of a part is kept for as long as the expression, because a rule is asked again and
again, and its loops go over the same parts at each step.
"""

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias, TypeVar

from cel_expr_python import cel

from svcsim.schema.cel.calls import has_own, is_own
from svcsim.schema.cel.crossings import has_uints, reader
from svcsim.schema.cel.trees import Call, Loop, Name, Scalar, Text, Tree, mapped, names, serialized

T = TypeVar("T")

START, RANGE, OFFSET, PART = "@start", "@range", "@offset", "@part"
"""Variables in the place of what is evaluated before."""
DECISIVE: Final = {"_&&_": False, "_||_": True}
"""What one side of an operator has to come to so that the other doesn't matter."""
_CONSTANT = "@constant"


class Cut(NamedTuple):
    """A tree with variables in the place of what is evaluated before."""

    tree: Tree
    before: Mapping[str, Tree]


Kept: TypeAlias = dict[int, tuple[Tree, T]]
"""What was made of trees, by which tree it is, beside the tree."""


def kept(made: Kept[T], tree: Tree, make: Callable[[], T]) -> T:
    """What was made of a tree; made now if it wasn't."""
    found = made.get(id(tree))
    if found is None:
        found = made[id(tree)] = tree, make()
    return found[1]


def _of_some(loop: Loop, step: Tree) -> Loop:
    return loop._replace(range=Name(RANGE), start=Name(START), step=step, result=Name(loop.name))


class Pieces:
    """Parts of one expression, made ready to be asked; by the trees they were made of, which are kept, so that no other has their place."""

    def __init__(self, environment: cel.Env, whole: Tree) -> None:
        self.environment = environment
        self._whole = whole
        self._compiled: Kept[cel.Expression] = {}
        self._own: Kept[bool] = {}
        self._cuts: Kept[Cut] = {}
        self._constants: Kept[Cut] = {}
        self._splits: Kept[Cut] = {}
        self._loops: Mapping[bool, Kept[Loop]] = {False: {}, True: {}}
        self._names: Kept[tuple[str, ...]] = {}
        self.called: Kept[object] = {}
        """What calls of functions written in Python came to that are about nothing but what is written in the expression."""

    @cached_property
    def has_uints(self) -> bool:
        """Whether numbers without a sign may come up in it."""
        return has_uints(self._whole)

    @cached_property
    def read(self) -> Callable[[cel.Value], object]:
        """How it is read what the library comes to."""
        return reader(self._whole)

    def compiled(self, tree: Tree) -> cel.Expression:
        """In the form of the library."""
        return kept(self._compiled, tree, lambda: self.environment.deserialize(serialized(tree)))

    def has_own(self, tree: Tree) -> bool:
        """Whether a function written in Python is called anywhere in a tree."""
        return kept(self._own, tree, lambda: has_own(tree))

    def names(self, tree: Tree) -> tuple[str, ...]:
        """The names of all variables in a tree."""
        return kept(self._names, tree, lambda: tuple(dict.fromkeys(names(tree))))

    def cut(self, tree: Tree) -> Cut:
        """A tree without what the library isn't asked about: such functions, and what stands around them and may come to nothing."""
        return kept(self._cuts, tree, lambda: self._cut(tree))

    def split(self, tree: Tree) -> Cut:
        """A tree without its direct parts."""
        return kept(self._splits, tree, lambda: _split(tree))

    def of_some(self, loop: Loop, *, later: bool) -> Loop:
        """A loop over some items; ``later`` if its index is that of an item."""
        return kept(self._loops[later], loop, lambda: _of_some(loop, _later(loop.step, loop.item) if later else loop.step))

    def constants(self, tree: Tree, known: Collection[str]) -> Cut:
        """A tree without its parts that are about known variables alone."""
        return kept(self._constants, tree, lambda: self._without(tree, known))

    def _without(self, tree: Tree, known: Collection[str]) -> Cut:
        before: dict[str, Tree] = {}

        def part(one: Tree) -> Tree:
            names = self.names(one)
            if isinstance(one, Loop | Name) or not any(name in known for name in names):
                return one
            if not all(name in known for name in names):
                return mapped(one, part)
            before[name := f"{_CONSTANT}{len(before)}"] = one
            return Name(name)

        return Cut(part(tree), before)

    def _cut(self, tree: Tree) -> Cut:
        before: dict[str, Tree] = {}

        def part(one: Tree) -> Tree:
            if not self.has_own(one):
                return one
            if not is_own(one) and not isinstance(one, Loop | Call):
                return mapped(one, part)
            if isinstance(one, Call) and not is_own(one) and one.function not in (*DECISIVE, "_?_:_"):
                return mapped(one, part)
            before[name := f"{PART}{len(before)}"] = one
            return Name(name)

        return Cut(mapped(tree, part), before)


def _split(tree: Tree) -> Cut:
    before: dict[str, Tree] = {}

    def part(one: Tree) -> Tree:
        if isinstance(one, Text | Scalar):
            return one
        before[name := f"{PART}{len(before)}"] = one
        return Name(name)

    return Cut(mapped(tree, part), before)


def _later(tree: Tree, name: str) -> Tree:
    """A step of a loop over some items of a list, in which the index is that in the whole list."""
    if isinstance(tree, Name) and tree.name == name:
        return Call("_+_", (tree, Name(OFFSET)))
    if isinstance(tree, Loop) and name in (tree.item, tree.second, tree.name):
        return tree._replace(range=_later(tree.range, name))
    return mapped(tree, lambda one: _later(one, name))
