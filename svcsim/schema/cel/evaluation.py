"""Evaluates expressions: by the CEL library in one go where that is short, and else in parts, of which each is short.

The library gives up loops of some thousand steps, copies a list that a loop makes at each step, and can't be interrupted. So a loop that is
long is cut here: the library is asked about some items at a time, and what it makes of them is put together. What stands around such a
loop is evaluated part by part. In doing so every part is charged as what it is about turns out to be large, not as it might have been.
Functions written in Python are called here, too (`svcsim.schema.cel.calls`), so that all that calls one is cut around it
(`svcsim.schema.cel.pieces`).
"""

from collections.abc import Callable, Mapping
from copy import copy
from functools import cached_property
from typing import cast

from cel_expr_python import cel

from svcsim import limits
from svcsim.schema.cel.calls import CallError, called, is_own, name_of_type
from svcsim.schema.cel.costs import Cost, Costs
from svcsim.schema.cel.crossings import (
    EvaluationError,
    NotPlainError,
    Optional,
    each_opened,
    is_taken,
    opened,
    written_in,
)
from svcsim.schema.cel.mistakes import key_exists
from svcsim.schema.cel.pieces import DECISIVE, OFFSET, PART, RANGE, START, Kept, Pieces, kept
from svcsim.schema.cel.shapes import Shape, shape_of
from svcsim.schema.cel.trees import Call, Entries, Loop, Name, Selected, Text, Tree, Written, serialized

_FREE = Cost()
NOT_TAKEN = "Non-CEL value type for "
"""How the library says that it takes a value only as a part of an expression: see `svcsim.schema.cel.crossings`."""


class CallCostError(Exception):
    """An expression that costs more than any may."""


class _Known:
    """The value of a variable, and how large it is, which is found out when it is wanted."""

    def __init__(self, value: object) -> None:
        self.value = value

    @cached_property
    def shape(self) -> Shape:
        return shape_of(self.value)

    @cached_property
    def is_taken(self) -> bool:
        """Whether the library takes it as it is."""
        return is_taken(self.value)


_Scope = Mapping[str, _Known]


class Evaluation:
    """One expression asked about values in hand."""

    def __init__(self, pieces: Pieces, form: cel.Activation, abandoned: Callable[[], bool], *, fits: bool = False) -> None:
        """``abandoned`` tells that nobody waits for the outcome any longer: then no further part is asked."""
        self._pieces = pieces
        self._abandoned = abandoned
        self._form = form
        """The values in hand, in the form of the library."""
        self._base: _Scope = {}
        self._made: Kept[_Known] = {}
        """What parts have come to that are about these values alone, and so are the same at each step of a loop."""
        self._copying: float = limits.CEL_COPYING_COST
        self._fits = fits
        """Whether it is known that no part costs too much."""
        self._left: float = limits.CEL_CALL_COST
        self._time_left: float = limits.CEL_CALL_TIME

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
        if not own and (found := self._picked(tree, scope)) is not None:
            self._charge(cost)
            return found
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
                return kept(self._pieces.called, tree, lambda: self._called(tree, scope))
        return self._around(tree, scope) if fits else self._step(tree, scope)

    def _picked(self, tree: Tree, scope: _Scope) -> object:
        """A field or an item that is there, of a value in hand; None for anything else. The library would copy all of the value for it."""
        match tree:
            case Name(name) if name in scope:
                return scope[name].value
            case Selected(of, name, asked=False):
                key: object = name
            case Call("_[_]", (of, Text(key))):
                pass
            case Call("_[_]", (of, Name() as named)) if named.name in scope:
                key = scope[named.name].value
            case _:
                return None
        whole = self._picked(of, scope)
        if isinstance(whole, dict) and isinstance(key, str):
            return whole.get(key)
        if isinstance(whole, list) and type(key) is int and 0 <= key < len(whole):
            return cast("list[object]", whole)[key]
        return None

    def _cost(self, tree: Tree, scope: _Scope) -> Cost:
        return _FREE if self._fits else _cost(tree, scope)

    def _charge(self, cost: Cost) -> None:
        self._left -= cost.units
        self._time_left -= cost.time
        if self._left < 0 or self._time_left < 0 or cost.time > limits.CEL_STEP_COST or self._abandoned():
            raise CallCostError

    def _asked_once(self, tree: Tree, scope: _Scope, cost: Cost) -> object:
        """What the library says in one go, which is remembered where no variable of a loop has a part in it."""
        of_base = self._of_base(tree, scope)
        if len(of_base) == len(self._pieces.names(tree)):
            return self._constant(tree).value
        if not of_base:
            return self._asked(tree, scope, cost)
        tree, within = self._with_constants(tree, scope, of_base)
        names = self._pieces.names(tree)
        self._copied(
            sum(within[name].shape.weight for name in names if name in within and name not in scope)
            + sum(self._base[name].shape.weight for name in names if name in of_base)
        )
        return self._asked(tree, within, cost)

    def _of_base(self, tree: Tree, scope: _Scope) -> list[str]:
        """The variables in a tree that are none of a loop's."""
        return [name for name in self._pieces.names(tree) if name in self._base and scope.get(name) is self._base[name]]

    def _constant(self, tree: Tree) -> _Known:
        """What a tree comes to that is about the values in hand alone."""
        return kept(self._made, tree, lambda: _Known(self._asked(tree, self._base, self._cost(tree, self._base), self._form)))

    def _with_constants(self, tree: Tree, scope: _Scope, of_base: list[str]) -> tuple[Tree, _Scope]:
        """A tree in which what is the same at each step is known already; if that comes to nothing, the tree says whether it matters."""
        cut = self._pieces.constants(tree, of_base)
        try:
            known = {name: self._constant(one) for name, one in cut.before.items()}
        except EvaluationError:
            return tree, scope
        if not all(one.is_taken for one in known.values()):
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
            if NOT_TAKEN not in str(error):
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
        """An optional value, or a list of such. Raises `NotPlainError` for anything else that holds one."""
        try:
            return Optional(tuple(cast("list[object]", self._given(opened(tree), values))))
        except EvaluationError:
            pass
        try:
            made = cast("list[list[object]]", self._given(each_opened(tree), values))
        except EvaluationError:
            raise NotPlainError from None
        return [Optional(tuple(one)) for one in made]

    def _given(self, tree: Tree, values: Mapping[str, object], compiled: cel.Expression | None = None) -> object:
        environment = self._pieces.environment
        expression = environment.deserialize(serialized(tree)) if compiled is None else compiled
        return self._evaluated(expression, environment.Activation(dict(values)))

    def _evaluated(self, expression: cel.Expression, form: cel.Activation) -> object:
        try:
            return self._pieces.read(expression.eval(activation=form))
        except (RuntimeError, ValueError, TypeError) as error:
            raise EvaluationError(str(error)) from None

    def _called(self, call: Call, scope: _Scope) -> object:
        """What a function written in Python gives."""
        arguments = [self._known(argument, scope) for argument in call.arguments]
        if not self._fits:
            names = tuple([Name(f"{PART}{index}") for index in range(len(arguments))])
            within = {name.name: argument for name, argument in zip(names, arguments, strict=True)}
            self._charge(_cost(call._replace(arguments=names), within))
        try:
            return called(call, [argument.value for argument in arguments])
        except CallError as error:
            raise EvaluationError(str(error)) from None

    def _around(self, tree: Tree, scope: _Scope) -> object:
        """What the library says once all functions in a tree have been called that are written in Python."""
        cut = self._pieces.cut(tree)
        within = {**scope, **{name: self._known(one, scope) for name, one in cut.before.items()}}
        return self._asked_once(cut.tree, within, self._cost(cut.tree, within))

    def _step(self, tree: Tree, scope: _Scope) -> object:
        """One function, or what else has parts, about what these come to."""
        cut = self._pieces.split(tree)
        parts = {name: self._known(one, scope) for name, one in cut.before.items()}
        self._copied(sum(part.shape.weight for part in parts.values()))
        return self._asked(cut.tree, parts, _cost(cut.tree, parts))

    def _known(self, tree: Tree, scope: _Scope) -> _Known:
        """The value as from `_value`, with what is known of its size."""
        if isinstance(tree, Name) and tree.name in scope:
            return scope[tree.name]
        value = self._value(tree, scope)
        made = self._made.get(id(tree))
        return _Known(value) if made is None or made[1].value is not value else made[1]

    def _copied(self, weight: float) -> None:
        """Values of this weight are put into the form of the library anew."""
        self._copying -= weight
        if self._copying < 0:
            raise CallCostError

    def _logic(self, function: str, one: Tree, other: Tree, scope: _Scope) -> object:
        """What is decided by one side doesn't fail by the other."""
        failed: EvaluationError | None = None
        for side in (one, other):
            try:
                if self._value(side, scope) is DECISIVE[function]:
                    return DECISIVE[function]
            except EvaluationError as error:
                failed = error
        if failed is not None:
            raise failed
        return not DECISIVE[function]

    def _loop(self, loop: Loop, scope: _Scope) -> object:
        over = self._value(loop.range, scope)
        if not isinstance(over, list | dict):
            raise EvaluationError(f"no such overload: {name_of_type(over)} has no items")
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
        if not part.each.fits or part.units > self._left or part.time > self._time_left:
            return False
        self._left -= part.units
        self._time_left -= part.time
        return True

    def _all_steps(self, loop: Loop, part: "_Part", items: int, start: object, scope: _Scope) -> object:
        growing = isinstance(start, list | dict)
        so_far, failed = copy(start), None
        for index in range(0, items, part.items):
            given = start if growing else so_far
            try:
                made = self._some_items(loop, {**scope, START: _Known(given)}, part, index)
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
        return self._value(loop.step, {**within, **part.variables(index), loop.name: within[START]})


class _Part:
    """Some items of what a loop goes over, as many as the library takes in one go."""

    def __init__(self, loop: Loop, over: list[object] | dict[object, object], scope: _Scope, pieces: Pieces) -> None:
        self._loop = loop
        self._over = over
        self._pairs: list[tuple[object, object]] = list(over.items()) if isinstance(over, dict) else list(enumerate(over))
        self.tree = pieces.of_some(loop, later=bool(loop.second) and isinstance(over, list))
        count = self.items = len(self._pairs)
        whole = _cost(self.tree, {**scope, **self.at(0), START: _Known(True)})
        self.units, self.time = whole.units, whole.time
        self.each = self._of_each(whole)
        """By the costliest of all items."""
        self.items = 1 if pieces.has_own(loop.step) else min(self._room, count)

    def at(self, index: int) -> dict[str, _Known]:
        """The items from an index on."""
        pairs = self._pairs[index : index + self.items]
        as_map = isinstance(self._over, dict)
        some = dict(pairs) if as_map and self._loop.second else [key if as_map else item for key, item in pairs]
        return {RANGE: _Known(some), OFFSET: _Known(index)}

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
            raise EvaluationError(key_exists(key))
        known[key] = value
