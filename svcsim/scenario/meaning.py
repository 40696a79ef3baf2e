"""What the shape of a scenario can't say: names that must differ, names that must be there, pairs that don't go together."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from svcsim.cluster.admission_check import NEEDED, checked_admission_config
from svcsim.cluster.admission_config import OPTION
from svcsim.cluster.spec import ClusterSpec
from svcsim.dialect import DIALECTS
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.types import Json, Object
from svcsim.scenario import interpolation
from svcsim.scenario.answer_rules import wrong_operation
from svcsim.scenario.expressions import Expressions
from svcsim.scenario.fault_rules import wrong_fault
from svcsim.scenario.load import Mistake, Node, Position
from svcsim.scenario.model import OF_RUN
from svcsim.scenario.shape_check import ShapeCheck
from svcsim.scenario.suggestions import suggest

_WHILE_IT_RUNS = ("steps", "invariants", "finally")
"""The parts of a spec in which what was saved can be used."""


def unknown_kinds(checked: ShapeCheck, known: Sequence[str]) -> None:
    """Report what the scenario looks at or makes and can't be there at all."""
    for node in checked.named:
        if node.value not in known:
            checked.report(node.position, f"the cluster has no kind {node.value!r}{suggest(str(node.value), known)}")
    for kind, (file, position) in checked.made.items():
        if kind not in known and not interpolation.has_holes(kind):
            checked.mistakes.append(Mistake(file, position, f"the cluster has no kind {kind!r}{suggest(kind, known)}"))


def unknown_plugins(checked: ShapeCheck, known: Sequence[str]) -> None:
    """Report the admission plugins that there aren't, and those that are to be on and off at once."""
    seen: dict[str, Position] = {}
    for node in checked.plugins:
        name = str(node.value)
        if name not in known:
            checked.report(node.position, f"there is no admission plugin {name!r}{suggest(name, known)}")
        elif name in seen:
            checked.report(node.position, f"the admission plugin {name!r} stands in line {seen[name].line} already")
        seen.setdefault(name, node.position)


class Meaning:
    """One look at a file whose shape is right."""

    def __init__(self, checked: ShapeCheck, expressions: Expressions, directory: Path) -> None:
        """``directory``: where files are looked for."""
        self._directory = directory
        self._checked = checked
        self._report = checked.report
        self._expressions = expressions

    def check(self, root: Node) -> None:
        """Report what is wrong."""
        self._steps(root.find("spec", "steps"))
        spec = root.find("spec").value
        declared = list(spec["vars"].value) if "vars" in spec else []
        for row in spec["matrix"].value if "matrix" in spec else []:
            self._known_variables(row, declared)
        self._saved_names(root)
        self._admission(root)
        for webhook in self._items(root.find("spec"), "webhooks"):
            for operation in self._items(webhook, "patch"):
                self._operation(operation)
        clock = root.find("spec", "clock").value
        if isinstance(clock, dict) and "speed" in clock and "mode" in clock and clock["mode"].value == "virtual":
            self._report(clock["speed"].position, "virtual time has no speed; leave mode out, or set mode: real")

    def _admission(self, root: Node) -> None:
        """What admission plugins go by is read as the cluster would read it."""
        cluster = self._block(root.find("spec"), "cluster")
        admission = self._block(cluster, "admission")
        known = {name: self._known(admission.value[name]) for name in admission.value}
        dialect = self._known(cluster.value["dialect"]) if "dialect" in cluster.value else ClusterSpec().dialect
        path = (self._directory / str(known["configFile"])).absolute() if "configFile" in known else None
        try:
            config = checked_admission_config(path, DIALECTS[str(dialect)])
        except ConfigurationError as error:
            self._report(admission.find("configFile").position, str(error).removeprefix(f"{OPTION}: "))
            return
        for index, name in enumerate(known.get("enable") or []):
            if name in NEEDED and name not in config.plugins:
                lack = "no configFile says" if path is None else f"{path} doesn't say"
                self._report(admission.find("enable", index).position, f"{name} is on, and {lack} {NEEDED[name]}")

    def _block(self, node: Node, name: str) -> Node:
        """A map in a map, with its hole filled where it is one; empty where it isn't there."""
        found = node.value.get(name)
        if found is not None and interpolation.has_holes(found.value):
            found = self._checked.filled(found)
        return found if found is not None else Node({}, node.position, node.position)

    def _steps(self, steps: Node) -> None:
        if not steps.value:
            self._report(steps.position, "there are no steps, so nothing would be checked; a step is {id: NAME, do: […], expect: […]}")
        seen: dict[str, Position] = {}
        for step in steps.value:
            step_id = step.value["id"]
            if step_id.value in OF_RUN:
                self._report(step_id.position, f"no step can be called {step_id.value!r}: reports call a part of the run so")
            elif str(step_id.value) in seen:
                self._report(step_id.position, f"a second step {step_id.value!r}; the first is in line {seen[step_id.value].line}")
            seen.setdefault(str(step_id.value), step_id.position)
            for expectation in _listed(step, "expect"):
                self._expectation(expectation)
                for moment in _listed(expectation, "order"):
                    self._moment(moment)
            for fault in _listed(step, "faults"):
                self._fault(fault)

    def _expectation(self, node: Node) -> None:
        given = node.value
        mode = next(name for name in ("eventually", "always", "never", "order") if name in given)
        if "within" in given and mode not in {"eventually", "order"}:
            self._report(node.keys["within"], f"within is how long something may take to become true; {mode!r} takes for")
        if "for" in given and mode not in {"always", "never"}:
            self._report(node.keys["for"], f"for is how long something must stay true; {mode!r} takes within")

    def _moment(self, node: Node) -> None:
        """What Events say can't be said of other writes, nor when an Event goes."""
        said = next((name for name in ("reason", "message") if name in node.value), "")
        if not said:
            return
        if "kind" in node.value and self._known(node.value["kind"]) not in (None, "Event"):
            self._report(node.keys["kind"], f"only an Event has a {said}; leave kind out, and name what it is about with on")
        if "type" in node.value and self._known(node.value["type"]) == "DELETED":
            self._report(node.keys["type"], f"a {said} is told when its Event is written, not when it is deleted")

    def _fault(self, node: Node) -> None:
        fault = {name: self._known(child) for name, child in node.value.items()}
        if any(value is None for value in fault.values()):
            return  # it is asked again when all of it is known
        for path, message in wrong_fault(fault):
            place = node.find(*path[:-1])
            self._report(place.keys.get(path[-1], place.position), message)

    def _operation(self, node: Node) -> None:
        """Check that this is an operation of a patch in an answer, whatever the object is."""
        known: Object = {name: self._known(child) for name, child in node.value.items()}
        if wrong := wrong_operation(known):
            field, message = wrong
            self._report(node.find(field).position, message)

    def _items(self, node: Node, name: str) -> list[Node]:
        """The items of a list in a map, with their interpolations filled in; none if there is no list."""
        block = self._block(node, name)
        filled = [self._checked.filled(one) if interpolation.has_holes(one.value) else one for one in block.value or ()]
        return [one for one in filled if one is not None and one.value]

    def _known(self, node: Node) -> Json:
        """A value with its holes filled; None where that takes something saved."""
        if isinstance(node.value, dict):
            values = {name: self._known(child) for name, child in node.value.items()}
            return None if any(value is None for value in values.values()) else values
        if not interpolation.has_holes(node.value):
            return node.plain()
        filled = self._checked.filled(node)
        return None if filled is None else filled.plain()

    def _saved_names(self, root: Node) -> None:
        """What was saved has a name that some action gives it, and can be used only while the scenario runs."""
        spec = root.find("spec")
        actions = [action for step in _listed(spec, "steps") for action in _listed(step, "do")] + _listed(spec, "finally")
        given = [name for action in actions if "save" in action.value for name in action.value["save"].value]
        for name, position in self._checked.asked_for:
            if name not in given:
                self._report(position, f"nothing is saved as {name!r}{suggest(name, given) or '; no action has save'}")
        early = [root.find("metadata"), *(child for name, child in spec.value.items() if name not in _WHILE_IT_RUNS)]
        for node in (found for part in early for found in _strings(part)):
            for hole in interpolation.holes(node.value):
                if self._expressions.compile(hole.expression).mentions("saved"):
                    self._report(node.position, f"${{{hole.expression}}}: nothing is saved before the scenario runs")

    def _known_variables(self, row: Node, declared: list[str]) -> None:
        for name in row.value:
            if name not in declared:
                self._report(row.keys[name], f"there is no variable {name!r} in spec.vars{suggest(name, declared)}")


def _listed(node: Node, name: str) -> list[Node]:
    """What a list of a map holds; nothing if it isn't there."""
    return list(node.value[name].value) if name in node.value else []


def _strings(node: Node) -> Iterator[Node]:
    """All strings in a value."""
    if isinstance(node.value, dict | list):
        for child in node.value.values() if isinstance(node.value, dict) else node.value:
            yield from _strings(child)
    elif isinstance(node.value, str):
        yield node
