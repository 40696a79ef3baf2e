"""Evaluates expressions: by the CEL library in one go where that is short, and else in parts, of which each is short.

The library gives up loops of some thousand steps, copies a list that a loop makes at each step, and can't be interrupted. So a loop that is
long is cut here: the library is asked about some items at a time, and what it makes of them is put together. What stands around such a
loop is evaluated part by part. In doing so every part is charged as what it is about turns out to be large, not as it might have been.
Functions written in Python are called here, too (`svcsim.schema.cel.calls`), so that all that calls one is cut around it.
"""

from collections.abc import Callable, Collection, Mapping
from copy import copy
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias, TypeVar, cast

from cel_expr_python import cel

from svcsim import limits
from svcsim.schema.cel.calls import CallError, called, has_own, is_own
from svcsim.schema.cel.costs import Cost, Costs
from svcsim.schema.cel.crossings import (
    EvaluationError,
    NotPlainError,
    Optional,
    each_opened,
    has_uints,
    is_taken,
    opened,
    plain,
    plain_with_uints,
    written_in,
)
from svcsim.schema.cel.shapes import Shape, shape_of
from svcsim.schema.cel.trees import Call, Entries, Loop, Name, Scalar, Text, Tree, Written, mapped, names, serialized

T = TypeVar("T")

_START, _RANGE, _OFFSET, _PART, _CONSTANT = "@start", "@range", "@offset", "@part", "@constant"
_DECISIVE: Final = {"_&&_": False, "_||_": True}
_FREE = Cost()
_NOT_TAKEN = "Non-CEL value type for "


class CallCostError(Exception):
    """An expression that costs more than any may."""


class _Known:
    """The value of a variable, and how large it is, which is found out when it is wanted."""

    def __init__(self, value: object) -> None:
        self.value = value

    @cached_property
    def shape(self) -> Shape:
        return shape_of(self.value)


_Scope = Mapping[str, _Known]


class _Cut(NamedTuple):
    """A tree with variables in the place of what is evaluated before."""

    tree: Tree
    before: Mapping[str, Tree]


_Kept: TypeAlias = dict[int, tuple[Tree, T]]
"""What was made of trees, by which tree it is, beside the tree."""


def _kept(made: _Kept[T], tree: Tree, make: Callable[[], T]) -> T:
    """What was made of a tree; made now if it wasn't."""
    found = made.get(id(tree))
    if found is None:
        found = made[id(tree)] = tree, make()
    return found[1]


def _of_some(loop: Loop, step: Tree) -> Loop:
    return loop._replace(range=Name(_RANGE), start=Name(_START), step=step, result=Name(loop.name))


class Pieces:
    """Parts of one expression, made ready to be asked; by the trees they were made of, which are kept, so that no other has their place."""

    def __init__(self, environment: cel.Env, whole: Tree) -> None:
        self.environment = environment
        self._whole = whole
        self._compiled: _Kept[cel.Expression] = {}
        self._own: _Kept[bool] = {}
        self._cuts: _Kept[_Cut] = {}
        self._constants: _Kept[_Cut] = {}
        self._splits: _Kept[_Cut] = {}
        self._loops: Mapping[bool, _Kept[Loop]] = {False: {}, True: {}}
        self._names: _Kept[tuple[str, ...]] = {}
        self.called: _Kept[object] = {}
        """What calls of functions written in Python came to that are about nothing but what is written in the expression."""

    @cached_property
    def has_uints(self) -> bool:
        """Whether numbers without a sign may come up in it."""
        return has_uints(self._whole)

    def compiled(self, tree: Tree) -> cel.Expression:
        """In the form of the library."""
        return _kept(self._compiled, tree, lambda: self.environment.deserialize(serialized(tree)))

    def has_own(self, tree: Tree) -> bool:
        """Whether a function written in Python is called anywhere in a tree."""
        return _kept(self._own, tree, lambda: has_own(tree))

    def names(self, tree: Tree) -> tuple[str, ...]:
        """Of all variables in a tree."""
        return _kept(self._names, tree, lambda: tuple(dict.fromkeys(names(tree))))

    def cut(self, tree: Tree) -> _Cut:
        """A tree without what the library isn't asked about: such functions, and what stands around them and may come to nothing."""
        return _kept(self._cuts, tree, lambda: self._cut(tree))

    def split(self, tree: Tree) -> _Cut:
        """A tree without its direct parts."""
        return _kept(self._splits, tree, lambda: _split(tree))

    def of_some(self, loop: Loop, *, later: bool) -> Loop:
        """A loop over some items; ``later`` if its index is that of an item."""
        return _kept(self._loops[later], loop, lambda: _of_some(loop, _later(loop.step, loop.item) if later else loop.step))

    def constants(self, tree: Tree, known: Collection[str]) -> _Cut:
        """A tree without its parts that are about known variables alone."""
        return _kept(self._constants, tree, lambda: self._without(tree, known))

    def _without(self, tree: Tree, known: Collection[str]) -> _Cut:
        before: dict[str, Tree] = {}

        def part(one: Tree) -> Tree:
            names = self.names(one)
            if isinstance(one, Loop | Name) or not any(name in known for name in names):
                return one
            if not all(name in known for name in names):
                return mapped(one, part)
            before[name := f"{_CONSTANT}{len(before)}"] = one
            return Name(name)

        return _Cut(part(tree), before)

    def _cut(self, tree: Tree) -> _Cut:
        before: dict[str, Tree] = {}

        def part(one: Tree) -> Tree:
            if not self.has_own(one):
                return one
            if not is_own(one) and not isinstance(one, Loop | Call):
                return mapped(one, part)
            if isinstance(one, Call) and not is_own(one) and one.function not in (*_DECISIVE, "_?_:_"):
                return mapped(one, part)
            before[name := f"{_PART}{len(before)}"] = one
            return Name(name)

        return _Cut(mapped(tree, part), before)


class Evaluation:
    """One expression asked about values in hand."""

    def __init__(self, pieces: Pieces, form: cel.Activation, *, fits: bool = False) -> None:
        self._pieces = pieces
        self._form = form
        """The values in hand, in the form of the library."""
        self._base: _Scope = {}
        self._made: _Kept[_Known] = {}
        """What parts have come to that are about these values alone, and so are the same at each step of a loop."""
        self._copying: float = limits.CEL_COPYING_COST
        self._fits = fits
        """Whether it is known that no part costs too much."""
        self._left: float = limits.CEL_CALL_COST

    def of(self, tree: Tree, values: Mapping[str, object]) -> object:
        """What an expression comes to. Raises `EvaluationError` and `CallCostError`."""
        self._base = {name: _Known(value) for name, value in values.items()}
        return self._value(tree, self._base)

    def _value(self, tree: Tree, scope: _Scope) -> object:
        if isinstance(tree, Text):
            return tree.value
        if isinstance(tree, Name) and tree.name in scope:
            return scope[tree.name].value
        cost = self._cost(tree, scope)
        fits = cost.fits and cost.units <= self._left
        own = self._pieces.has_own(tree)
        if fits and not own:
            return self._asked_once(tree, scope, cost)
        match tree:
            case Loop():
                return self._loop(tree, scope)
            case Call("_&&_" | "_||_", (one, other)):
                return self._logic(tree.function, one, other, scope)
            case Call("_?_:_", (condition, one, other)):
                return self._value(one if self._value(condition, scope) is True else other, scope)
            case Call() if is_own(tree):
                if self._pieces.names(tree):
                    return self._called(tree, scope)
                return _kept(self._pieces.called, tree, lambda: self._called(tree, scope))
        return self._around(tree, scope) if fits else self._step(tree, scope)

    def _cost(self, tree: Tree, scope: _Scope) -> Cost:
        return _FREE if self._fits else _cost(tree, scope)

    def _charge(self, cost: Cost) -> None:
        self._left -= cost.units
        if self._left < 0 or cost.time > limits.CEL_STEP_COST:
            raise CallCostError

    def _asked_once(self, tree: Tree, scope: _Scope, cost: Cost) -> object:
        """What the library says in one go, which is remembered where no variable of a loop has a part in it."""
        names = self._pieces.names(tree)
        of_base = [name for name in names if name in self._base and scope.get(name) is self._base[name]]
        if len(of_base) == len(names):
            return self._constant(tree).value
        if not of_base:
            return self._asked(tree, scope, cost)
        tree, within = self._with_constants(tree, scope, of_base)
        self._copying -= sum(within[name].shape.weight for name in self._pieces.names(tree) if name in within and name not in scope)
        self._copying -= sum(self._base[name].shape.weight for name in self._pieces.names(tree) if name in of_base)
        if self._copying < 0:
            raise CallCostError
        return self._asked(tree, within, cost)

    def _constant(self, tree: Tree) -> _Known:
        """What a tree comes to that is about the values in hand alone."""
        return _kept(self._made, tree, lambda: _Known(self._asked(tree, self._base, self._cost(tree, self._base), self._form)))

    def _with_constants(self, tree: Tree, scope: _Scope, of_base: list[str]) -> tuple[Tree, _Scope]:
        """A tree in which what is the same at each step is known already; if that comes to nothing, the tree says whether it matters."""
        cut = self._pieces.constants(tree, of_base)
        try:
            known = {name: self._constant(one) for name, one in cut.before.items()}
        except EvaluationError:
            return tree, scope
        if not all(is_taken(one.value) for one in known.values()):
            return tree, scope
        return cut.tree, {**scope, **known}

    def _asked(self, tree: Tree, scope: _Scope, cost: Cost, form: cel.Activation | None = None) -> object:
        """What the library says in one go."""
        self._charge(cost)
        values = {name: scope[name].value for name in self._pieces.names(tree) if name in scope}
        try:
            if form is not None:
                return self._evaluated(self._pieces.compiled(tree), form)
            if not self._pieces.has_uints or all(map(is_taken, values.values())):
                return self._given(tree, values, self._pieces.compiled(tree))
        except NotPlainError:
            return self._opened(tree, values)
        except EvaluationError as error:
            if _NOT_TAKEN not in str(error):
                raise
        if isinstance(tree, Call) and tree.function == "size" and isinstance(of := tree.arguments[0], Name):
            return len(cast("list[object]", values[of.name]))
        return self._written(tree, values)

    def _written(self, tree: Tree, values: Mapping[str, object]) -> object:
        """What the library says to values that it doesn't take but written into what it is asked."""
        whole, left = written_in(tree, values)
        try:
            return self._given(whole, left)
        except NotPlainError:
            return self._opened(whole, left)

    def _opened(self, tree: Tree, values: Mapping[str, object]) -> object:
        """An optional value, or a list of such."""
        try:
            return Optional(tuple(cast("list[object]", self._given(opened(tree), values))))
        except EvaluationError:
            made = cast("list[list[object]]", self._given(each_opened(tree), values))
            return [Optional(tuple(one)) for one in made]

    def _given(self, tree: Tree, values: Mapping[str, object], compiled: cel.Expression | None = None) -> object:
        environment = self._pieces.environment
        expression = environment.deserialize(serialized(tree)) if compiled is None else compiled
        return self._evaluated(expression, environment.Activation(dict(values)))

    def _evaluated(self, expression: cel.Expression, form: cel.Activation) -> object:
        try:
            value = expression.eval(activation=form)
            return plain_with_uints(value) if self._pieces.has_uints else plain(value)
        except (RuntimeError, ValueError, TypeError) as error:
            raise EvaluationError(str(error)) from None

    def _called(self, call: Call, scope: _Scope) -> object:
        """What a function written in Python gives."""
        arguments = [_Known(self._value(argument, scope)) for argument in call.arguments]
        if not self._fits:
            names = tuple([Name(f"{_PART}{index}") for index in range(len(arguments))])
            within = {name.name: argument for name, argument in zip(names, arguments, strict=True)}
            self._charge(_cost(call._replace(arguments=names), within))
        try:
            return called(call, [argument.value for argument in arguments])
        except CallError as error:
            raise EvaluationError(str(error)) from None

    def _around(self, tree: Tree, scope: _Scope) -> object:
        """What the library says once all functions in a tree have been called that are written in Python."""
        cut = self._pieces.cut(tree)
        within = {**scope, **{name: _Known(self._value(one, scope)) for name, one in cut.before.items()}}
        return self._asked_once(cut.tree, within, self._cost(cut.tree, within))

    def _step(self, tree: Tree, scope: _Scope) -> object:
        """One function, or what else has parts, about what these come to."""
        cut = self._pieces.split(tree)
        parts = {name: _Known(self._value(one, scope)) for name, one in cut.before.items()}
        return self._asked(cut.tree, parts, _cost(cut.tree, parts))

    def _logic(self, function: str, one: Tree, other: Tree, scope: _Scope) -> object:
        """What is decided by one side doesn't fail by the other."""
        failed: EvaluationError | None = None
        for side in (one, other):
            try:
                if self._value(side, scope) is _DECISIVE[function]:
                    return _DECISIVE[function]
            except EvaluationError as error:
                failed = error
        if failed is not None:
            raise failed
        return not _DECISIVE[function]

    def _loop(self, loop: Loop, scope: _Scope) -> object:
        over = self._value(loop.range, scope)
        if not isinstance(over, list | dict):
            raise EvaluationError(f"no such overload: {type(over).__name__} has no items")
        start = self._value(loop.start, scope)
        end = self._steps(loop, over, start, scope) if over else start
        return self._value(loop.result, {**scope, loop.name: _Known(end)})

    def _steps(self, loop: Loop, over: list[object] | dict[object, object], start: object, scope: _Scope) -> object:
        """A loop's steps, some at a time."""
        part = _Part(loop, over, scope, self._pieces)
        before = self._fits
        self._fits = before or (part.items == 1 and self._paid(part))
        try:
            return self._all_steps(loop, part, len(over), start, scope)
        finally:
            self._fits = before

    def _paid(self, part: "_Part") -> bool:
        """Whether all steps may cost what the costliest would, which is charged then."""
        if not part.each.fits or part.units > self._left:
            return False
        self._left -= part.units
        return True

    def _all_steps(self, loop: Loop, part: "_Part", items: int, start: object, scope: _Scope) -> object:
        growing = isinstance(start, list | dict)
        so_far, failed = copy(start), None
        for index in range(0, items, part.items):
            given = start if growing else so_far
            try:
                made = self._some_items(loop, {**scope, _START: _Known(given)}, part, index)
            except EvaluationError as error:
                if not isinstance(start, bool):
                    raise
                failed = failed or error  # a later item may decide
                continue
            if growing:
                _add(so_far, made)
            else:
                so_far = made
            if isinstance(start, bool) and so_far is not start:
                return so_far
        if failed is not None:
            raise failed
        return so_far

    def _some_items(self, loop: Loop, within: _Scope, part: "_Part", index: int) -> object:
        if part.items > 1:
            within = {**within, **part.at(index)}
            return self._asked(part.tree, within, self._cost(part.tree, within))
        return self._value(loop.step, {**within, **part.variables(index), loop.name: within[_START]})


class _Part:
    """Some items of what a loop goes over, as many as the library takes in one go."""

    def __init__(self, loop: Loop, over: list[object] | dict[object, object], scope: _Scope, pieces: Pieces) -> None:
        self._loop = loop
        self._over = over
        self._pairs: list[tuple[object, object]] = list(over.items()) if isinstance(over, dict) else list(enumerate(over))
        self.tree = pieces.of_some(loop, later=bool(loop.second) and isinstance(over, list))
        count = self.items = len(self._pairs)
        whole = _cost(self.tree, {**scope, **self.at(0), _START: _Known(True)})
        self.units = whole.units
        self.each = self._of_each(whole)
        """By the costliest of all items."""
        self.items = 1 if pieces.has_own(loop.step) else min(self._room, count)

    def at(self, index: int) -> dict[str, _Known]:
        """The items from an index on."""
        pairs = self._pairs[index : index + self.items]
        as_map = isinstance(self._over, dict)
        some = dict(pairs) if as_map and self._loop.second else [key if as_map else item for key, item in pairs]
        return {_RANGE: _Known(some), _OFFSET: _Known(index)}

    def variables(self, index: int) -> dict[str, _Known]:
        """The variables of one step."""
        key, item = self._pairs[index]
        if self._loop.second:
            named = {self._loop.item: key, self._loop.second: item}
        else:
            named = {self._loop.item: key if isinstance(self._over, dict) else item}
        return {name: _Known(value) for name, value in named.items()}

    def _of_each(self, whole: Cost) -> Cost:
        count = len(self._pairs)
        time = whole.time - (count**2 if self._grows else 0)
        return Cost(time / count, whole.units / count, whole.steps / count)

    @property
    def _grows(self) -> bool:
        return isinstance(self._loop.start, Written | Entries)

    @property
    def _room(self) -> int:
        room = int(min(limits.CEL_TURN_COST / self.each.time, limits.CEL_TURN_STEPS / self.each.steps))
        return max(1, min(room, limits.CEL_GROWING_ITEMS) if self._grows or not is_taken(self._over) else room)


def _cost(tree: Tree, scope: _Scope) -> Cost:
    return Costs(tree).of({name: known.shape for name, known in scope.items()})


def _add(whole: object, more: object) -> None:
    if isinstance(whole, list):
        if not isinstance(more, list):
            raise EvaluationError("no such overload: a list has to be added to a list")
        whole.extend(more)
        return
    known = cast("dict[object, object]", whole)
    for key, value in cast("dict[object, object]", more).items():
        if key in known:
            raise EvaluationError(f"insert failed: key {key} already exists")
        known[key] = value


def _split(tree: Tree) -> _Cut:
    before: dict[str, Tree] = {}

    def part(one: Tree) -> Tree:
        if isinstance(one, Text | Scalar):
            return one
        before[name := f"{_PART}{len(before)}"] = one
        return Name(name)

    return _Cut(mapped(tree, part), before)


def _later(tree: Tree, name: str) -> Tree:
    """A step of a loop over some items of a list, in which the index is that in the whole list."""
    if isinstance(tree, Name) and tree.name == name:
        return Call("_+_", (tree, Name(_OFFSET)))
    if isinstance(tree, Loop) and name in (tree.item, tree.second, tree.name):
        return tree._replace(range=_later(tree.range, name))
    return mapped(tree, lambda one: _later(one, name))
