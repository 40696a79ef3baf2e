"""Evaluates expressions: by the CEL library in one go where that is short, and else in parts, of which each is short.

The library gives up loops of some thousand steps, copies a list that a loop makes at each step, and can't be interrupted. So a loop that is
long is cut here: the library is asked about some items at a time, and what it makes of them is put together. What stands around such a
loop is evaluated part by part. In doing so every part is charged as what it is about turns out to be large, not as it might have been.
"""

from collections.abc import Mapping
from copy import copy
from typing import Final, NamedTuple, cast

from cel_expr_python import cel

from svcsim import limits
from svcsim.schema.cel.costs import Cost, Costs
from svcsim.schema.cel.shapes import Shape, shape_of
from svcsim.schema.cel.trees import Call, Entries, Loop, Name, Scalar, Text, Tree, Written, mapped, serialized

_START, _RANGE, _OFFSET, _PART = "@start", "@range", "@offset", "@part"
_DECISIVE: Final = {"_&&_": False, "_||_": True}


class EvaluationError(Exception):
    """An expression that comes to nothing; the text says why."""


class CallCostError(Exception):
    """An expression that costs more than any may."""


class _Known(NamedTuple):
    """The value of a variable, and how large it is."""

    value: object
    shape: Shape


_Scope = Mapping[str, _Known]


class Evaluation:
    """One expression asked about values in hand."""

    def __init__(self, environment: cel.Env) -> None:
        self._environment = environment
        self._left: float = limits.CEL_CALL_COST
        self._compiled: dict[int, tuple[Tree, cel.Expression]] = {}
        """By the trees they were made of, which are kept, so that no other has their place."""

    def of(self, tree: Tree, values: Mapping[str, object]) -> object:
        """What an expression comes to. Raises `EvaluationError` and `CallCostError`."""
        return self._value(tree, {name: _Known(value, shape_of(value)) for name, value in values.items()})

    def _value(self, tree: Tree, scope: _Scope) -> object:
        cost = _cost(tree, scope)
        if cost.fits and cost.units <= self._left:
            return self._asked(tree, scope, cost)
        match tree:
            case Loop():
                return self._loop(tree, scope)
            case Call("_&&_" | "_||_", (one, other)):
                return self._logic(tree.function, one, other, scope)
            case Call("_?_:_", (condition, one, other)):
                return self._value(one if self._value(condition, scope) is True else other, scope)
        return self._step(tree, scope)

    def _asked(self, tree: Tree, scope: _Scope, cost: Cost) -> object:
        """What the library says in one go."""
        self._left -= cost.units
        if self._left < 0 or cost.time > limits.CEL_STEP_COST:
            raise CallCostError
        if id(tree) not in self._compiled:
            self._compiled[id(tree)] = tree, self._environment.deserialize(serialized(tree))
        try:
            form = self._environment.Activation({name: known.value for name, known in scope.items()})
            return plain(self._compiled[id(tree)][1].eval(activation=form))
        except (RuntimeError, ValueError, TypeError) as error:
            raise EvaluationError(str(error)) from None

    def _step(self, tree: Tree, scope: _Scope) -> object:
        """One function, or what else has parts, about what these come to."""
        parts: dict[str, _Known] = {}

        def part(one: Tree) -> Tree:
            if isinstance(one, Text | Scalar):
                return one
            value = self._value(one, scope)
            parts[name := f"{_PART}{len(parts)}"] = _Known(value, shape_of(value))
            return Name(name)

        alone = mapped(tree, part)
        return self._asked(alone, parts, _cost(alone, parts))

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
        return self._value(loop.result, {**scope, loop.name: _Known(end, shape_of(end))})

    def _steps(self, loop: Loop, over: list[object] | dict[object, object], start: object, scope: _Scope) -> object:
        """A loop's steps, some at a time."""
        part = _Part(loop, over, scope)
        growing = isinstance(start, list | dict)
        so_far, failed = copy(start), None
        for index in range(0, len(over), part.items):
            given = start if growing else so_far
            within = {**scope, **part.at(index), _START: _Known(given, shape_of(given))}
            try:
                made = self._some_items(loop, within, part, index)
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
            return self._asked(part.tree, within, _cost(part.tree, within))
        return self._value(loop.step, {**within, **part.variables(index), loop.name: within[_START]})


class _Part:
    """Some items of what a loop goes over, as many as the library takes in one go."""

    def __init__(self, loop: Loop, over: list[object] | dict[object, object], scope: _Scope) -> None:
        self._loop = loop
        self._over = over
        self._pairs: list[tuple[object, object]] = list(over.items()) if isinstance(over, dict) else list(enumerate(over))
        step = loop.step
        if loop.second and isinstance(over, list):
            step = _later(step, loop.item)
        self.tree = loop._replace(range=Name(_RANGE), start=Name(_START), step=step, result=Name(loop.name))
        self.items = self._room(scope)

    def at(self, index: int) -> dict[str, _Known]:
        """The items from an index on."""
        pairs = self._pairs[index : index + self.items]
        as_map = isinstance(self._over, dict)
        some = dict(pairs) if as_map and self._loop.second else [key if as_map else item for key, item in pairs]
        return {_RANGE: _Known(some, shape_of(some)), _OFFSET: _Known(index, shape_of(index))}

    def variables(self, index: int) -> dict[str, _Known]:
        """The variables of one step."""
        key, item = self._pairs[index]
        if self._loop.second:
            named = {self._loop.item: key, self._loop.second: item}
        else:
            named = {self._loop.item: key if isinstance(self._over, dict) else item}
        return {name: _Known(value, shape_of(value)) for name, value in named.items()}

    def _room(self, scope: _Scope) -> int:
        """By the largest of all items."""
        self.items = len(self._pairs)
        whole = _cost(self.tree, {**scope, **self.at(0), _START: _Known(True, shape_of(True))})
        growing = isinstance(self._loop.start, Written | Entries)
        time = whole.time - (len(self._pairs) ** 2 if growing else 0)
        room = min(limits.CEL_TURN_COST / (time / self.items), limits.CEL_TURN_STEPS / (whole.steps / self.items), self.items)
        return max(1, int(min(room, limits.CEL_GROWING_ITEMS) if growing else room))


def plain(value: cel.Value) -> object:
    """What the library has come to. Raises `EvaluationError` for one of its errors."""
    made = value.plain_value()
    if made is not True and made is not False and value.type() == cel.Type.ERROR:  # nearly all come to a truth
        raise EvaluationError(str(made))
    return made


def _cost(tree: Tree, scope: _Scope) -> Cost:
    return Costs(tree).of({name: known.shape for name, known in scope.items()})


def _add(whole: object, more: object) -> None:
    if isinstance(whole, list):
        whole.extend(cast("list[object]", more))
        return
    known = cast("dict[object, object]", whole)
    for key, value in cast("dict[object, object]", more).items():
        if key in known:
            raise EvaluationError(f"insert failed: key {key} already exists")
        known[key] = value


def _later(tree: Tree, name: str) -> Tree:
    """A step of a loop over some items of a list, in which the index is that in the whole list."""
    if isinstance(tree, Name) and tree.name == name:
        return Call("_+_", (tree, Name(_OFFSET)))
    if isinstance(tree, Loop) and name in (tree.item, tree.second, tree.name):
        return tree._replace(range=_later(tree.range, name))
    return mapped(tree, lambda one: _later(one, name))
