"""A scenario that has been checked, as the runner wants it.

What may hold ``${…}`` stays a JSON map until the moment it is used, since ``saved`` grows while the scenario runs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from svcsim.cluster.controller_choice import leaves_out_nodes
from svcsim.cluster.settings import SettingError, from_json
from svcsim.cluster.spec import ClusterSpec
from svcsim.meta.times import parse_duration, parse_time
from svcsim.meta.types import Json, Object
from svcsim.meta.webhook_faults import WEBHOOK_ANSWER
from svcsim.scenario.asked_of_cluster import Asked, asked_settings
from svcsim.scenario.cluster_block import with_whole_paths
from svcsim.scenario.format import ACTIONS, MODES
from svcsim.scenario.load import Mistake, Node, Position, ScenarioError
from svcsim.scenario.variables import as_text

DEFAULT_SEED = 1
DEFAULT_START_S = 1_767_225_600.0
"""2026-01-01T00:00:00Z: virtual time begins there unless the file says otherwise, so that a run does not depend on its day."""


OF_RUN = SETUP, NODES, INVARIANTS, FAULTS, CLEAN_UP = "setup", "nodes", "invariants", "faults", "finally"
"""What reports call the parts of a run that are no step of it."""


@dataclass(frozen=True, slots=True)
class ClockSpec:
    """How cluster time passes. ``start_s`` None is the machine's time."""

    virtual: bool = True
    start_s: float | None = DEFAULT_START_S
    speed: float = 1.0


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Spans of cluster time, but ``wall_s``, which is real."""

    step_s: float = 30.0
    scenario_s: float = 3600.0
    cleanup_s: float = 30.0
    wall_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do. ``arguments`` is a map, or the scalar that `advance` and `sleep` take."""

    verb: str
    arguments: Json
    expect: Object | None
    save: dict[str, str]
    position: Position
    wheres: tuple[Position, ...] = ()


@dataclass(frozen=True, slots=True)
class Expectation:
    """One thing that must hold. ``mode`` is eventually, always, never or order."""

    mode: str
    subject: Json
    within: str | None
    lasting: str | None
    position: Position
    wheres: tuple[Position, ...] = ()
    """Where its expressions stand, those of an order one after the other."""


@dataclass(frozen=True, slots=True)
class PlannedFault:
    """One thing to break."""

    details: Object
    position: Position


@dataclass(frozen=True, slots=True)
class Step:
    id: str
    condition: str | bool
    faults: list[PlannedFault]
    actions: list[Action]
    expectations: list[Expectation]
    catch: list[Object]
    position: Position
    condition_position: Position


@dataclass(frozen=True, slots=True)
class Scenario:
    """One run of a scenario: with a matrix, each of its rows is one."""

    file: str
    name: str
    labels: dict[str, str]
    description: str
    seed: int
    clock: ClockSpec
    cluster: ClusterSpec
    cluster_position: Position
    asked: tuple[Asked, ...]
    """What it says of its cluster, beyond what is so by default."""
    timeouts: Timeouts
    variables: Object
    overrides: dict[str, str]
    """Variables from the command line and the environment, as they were given: for the command that runs it again."""
    row: Object | None
    webhooks: list[PlannedFault]
    """The webhooks that the simulator answers for during the whole run."""
    invariants: list[Expectation]
    steps: list[Step]
    closing: list[Action]
    manifests: tuple[str, ...] = ()
    """The files it reads."""
    defines_kinds: bool = False
    """Whether it makes kinds of its own, which then come and go while it runs."""

    @property
    def directory(self) -> Path:
        """Where manifests are looked for."""
        return Path(self.file).parent

    def places(self, positions: Sequence[Position]) -> tuple[str, ...]:
        """Places in its file, as mistakes are told."""
        return tuple(f"{self.file}:{position.line}:{position.column}" for position in positions)

    @property
    def title(self) -> str:
        """The name in reports, with what it ran with of what the matrix row names."""
        if self.row is None:
            return self.name
        return f"{self.name}[{','.join(f'{key}={as_text(self.variables[key])}' for key in self.row)}]"


@dataclass(slots=True)
class Values:
    """What ``${…}``, `if` and `where` can name beyond the object."""

    vars: Object
    saved: Object = field(default_factory=dict)

    def scope(self) -> Object:
        return {"vars": self.vars, "saved": self.saved}


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the command line says about a run."""

    seed: int | None = None
    variables: dict[str, str] = field(default_factory=dict)


def build(file: str, root: Node, variables: Object, row: Object | None, run_options: RunOptions, fill: Callable[[Json], Json]) -> Scenario:
    """The scenario that a checked file holds. ``fill`` replaces ``${…}``, here in what can't change while the scenario runs.

    Raises `ScenarioError` where the settings of its cluster don't go together.
    """
    whole = root.plain()
    metadata = fill(whole["metadata"])
    spec = fill({name: value for name, value in whole["spec"].items() if name not in {"steps", "invariants", "finally", "matrix"}})
    timeouts = spec.get("timeouts") or {}
    spans = {f"{name}_s": parse_duration(span) for name, span in timeouts.items()}
    seed = spec.get("seed", DEFAULT_SEED) if run_options.seed is None else run_options.seed
    clock = _clock(spec.get("clock"))
    block = with_whole_paths(ClusterSpec, spec.get("cluster") or {}, Path(file).parent)
    try:
        cluster = from_json(ClusterSpec, block)
    except SettingError as error:  # a rule over several settings; each for itself is checked by now
        raise ScenarioError([Mistake(file, root.find("spec", "cluster").position, str(error))]) from error
    if "nodes" not in block and leaves_out_nodes(cluster.controllers):
        cluster = replace(cluster, nodes=0)
    if block.get("nodes") and leaves_out_nodes(cluster.controllers):
        why = "these nodes never come: controllers says -nodes, which switches them off"
        raise ScenarioError([Mistake(file, root.find("spec", "cluster", "nodes").position, why)])
    return Scenario(
        file=file,
        name=metadata["name"],
        labels=metadata.get("labels") or {},
        description=spec.get("description") or "",
        seed=seed,
        clock=clock,
        cluster=replace(cluster, seed=seed, start_s=clock.start_s, clock_speed=clock.speed),
        cluster_position=root.find("spec", "cluster").position,
        asked=asked_settings(block, root.find("spec", "cluster")),
        timeouts=Timeouts(**spans),
        variables=variables,
        overrides=run_options.variables,
        row=row,
        webhooks=_webhooks(spec.get("webhooks") or [], root.find("spec", "webhooks")),
        invariants=_expectations(root.find("spec"), "invariants"),
        steps=[_step(node) for node in root.find("spec", "steps").value],
        closing=_actions(root.find("spec"), "finally"),
    )


def _clock(given: Json) -> ClockSpec:
    if given is None:
        return ClockSpec()
    wish = {"mode": given} if isinstance(given, str) else given
    virtual = wish.get("mode", "real" if "speed" in wish else "virtual") == "virtual"
    start = wish.get("start")
    return ClockSpec(virtual, parse_time(start) if start else DEFAULT_START_S if virtual else None, float(wish.get("speed", 1.0)))


def _webhooks(filled: list[Object], node: Node) -> list[PlannedFault]:
    """Answers in the place of webhooks come and go as faults do."""
    found = []
    for details, place in zip(filled, node.value if filled else (), strict=True):
        target = {name: details.pop(name) for name in ("name", "configuration") if name in details}
        found.append(PlannedFault({"type": WEBHOOK_ANSWER, "target": target, **details}, place.position))
    return found


def _step(node: Node) -> Step:
    plain = node.plain()
    return Step(
        id=str(plain["id"]),
        condition=plain.get("if", True),
        faults=[PlannedFault(child.plain(), child.position) for child in (node.value["faults"].value if "faults" in node.value else [])],
        actions=_actions(node, "do"),
        expectations=_expectations(node, "expect"),
        catch=plain.get("catch") or [],
        position=node.position,
        condition_position=node.find("if").text_position,
    )


def _actions(node: Node, name: str) -> list[Action]:
    return [_action(child) for child in (node.value[name].value or [])] if name in node.value else []


def _action(node: Node) -> Action:
    plain = node.plain()
    verb = next(name for name in ACTIONS if name in plain)
    return Action(verb, plain[verb], plain.get("expect"), plain.get("save") or {}, node.position, _wheres(node.value[verb]))


def _expectations(node: Node, name: str) -> list[Expectation]:
    return [_expectation(child) for child in (node.value[name].value or [])] if name in node.value else []


def _expectation(node: Node) -> Expectation:
    plain = node.plain()
    mode = next(name for name in MODES if name in plain)
    return Expectation(mode, plain[mode], plain.get("within"), plain.get("for"), node.position, _wheres(node.value[mode]))


def _wheres(subject: Node) -> tuple[Position, ...]:
    """Where the expressions of a selection stand, or of each moment of an order; the place of what has none."""
    selections = subject.value if isinstance(subject.value, list) else [subject.find("count")]
    return tuple(selection.find("where").text_position for selection in selections)
