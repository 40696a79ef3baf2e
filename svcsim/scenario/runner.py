"""What ``svcsim replay`` does: check every file, then run each scenario, and tell what came of it.

Exit codes: 0 everything held, 1 an expectation failed, 2 a file is wrong (the others are run), 3 svcsim itself failed, 130 interrupted,
143 terminated, 129 hung up on. Reports tell of all that was done, whatever ended it.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from svcsim.client.kubeconfig import Access, KubeconfigError
from svcsim.cluster.cluster import KIND_NAMES
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.errors import StatusError
from svcsim.meta.times import format_duration
from svcsim.meta.types import Json, Object
from svcsim.printing.harmless import harmless
from svcsim.scenario import interpolation, variables
from svcsim.scenario.asked_of_cluster import lacks
from svcsim.scenario.boot import booted, run_on_loop
from svcsim.scenario.check import check
from svcsim.scenario.existing_cluster import connected
from svcsim.scenario.expressions import Expressions, Unknown
from svcsim.scenario.files import STANDARD_INPUT, expand
from svcsim.scenario.load import Mistake, Node, ScenarioError, read_scenario
from svcsim.scenario.log_lines import noted
from svcsim.scenario.model import RunOptions, Scenario, build
from svcsim.scenario.reports import report
from svcsim.scenario.results import (
    EXIT_BROKEN,
    EXIT_FAILED,
    EXIT_HELD,
    EXIT_INTERRUPTED,
    EXIT_SIGNALLED,
    EXIT_WRONG_FILE,
    SKIPPED,
    Case,
    Outcome,
    Result,
    RunInterruptedError,
    WrongFile,
)
from svcsim.scenario.run import Run
from svcsim.scenario.target_cluster import TargetCluster
from svcsim.scenario.termination import Termination
from svcsim.scenario.there_before import ThereBefore
from svcsim.scenario.timeline import Timeline
from svcsim.virtual_loop import WallTimeoutError

_LOOKED_AGAIN_S = 1.0
"""Cluster time between two looks at what is being deleted."""


class Running(NamedTuple):
    """A cluster that is up, to run on."""

    access: Access
    resume: str
    """The command that lets its clock go on."""
    options: tuple[str, ...]
    """The options of `svcsim replay` that name it."""


def main(
    files: Sequence[str],
    *,
    junit: str | None = None,
    json: str | None = None,
    seed: int | None = None,
    vars: Sequence[str] = (),  # noqa: A002 - the option's own name
    against: Running | None = None,
    check_only: bool = False,
) -> int:
    """Replay files, or only check them; ``vars`` are NAME=VALUE. Gives the exit code."""
    scenario_files = expand(files)
    if trouble := _unwritable(junit) or _unwritable(json):
        return _no_report(trouble)
    try:
        plan = read(scenario_files, RunOptions(seed, variables.parse(vars)), () if against else KIND_NAMES)
    except variables.VariableError as error:
        sys.stderr.write(f"{harmless(str(error))}\n")
        return EXIT_WRONG_FILE
    if trouble := _written_over(plan, junit, json):
        return _no_report(trouble)
    for wrong in plan:
        if isinstance(wrong, WrongFile):
            sys.stderr.write("".join(f"{harmless(str(mistake))}\n" for mistake in wrong.mistakes))
    if check_only:
        sys.stdout.write("".join(harmless(f"valid   {item.title}  {item.file}\n") for item in plan if isinstance(item, Scenario)))
        return EXIT_WRONG_FILE if any(isinstance(item, WrongFile) for item in plan) else EXIT_HELD
    told = _Told()
    with Termination() as termination:
        outcomes, interrupted = _play(plan, against, told)
    try:
        _write_reports(outcomes, junit, json)
    except OSError as error:
        return _no_report(_why(error))
    if interrupted:
        return EXIT_INTERRUPTED if termination.came is None else EXIT_SIGNALLED + termination.came
    if told.trouble is not None and not isinstance(told.trouble, BrokenPipeError):
        return _no_report(_why(told.trouble))
    codes = [EXIT_WRONG_FILE if isinstance(outcome, WrongFile) else outcome.exit_code for outcome in outcomes]
    return next((code for code in (EXIT_WRONG_FILE, EXIT_BROKEN, EXIT_FAILED) if code in codes), EXIT_HELD)


class _Told:
    """The output about runs on stdout. If it can't be written, runs and reports go on all the same."""

    def __init__(self) -> None:
        self.trouble: OSError | None = None
        """Why nothing more can be told."""

    def tell(self, text: str) -> None:
        """Print it, at once."""
        if self.trouble is None:
            try:
                sys.stdout.write(f"{text}\n")
                sys.stdout.flush()
            except OSError as error:
                self.trouble = error


def _play(plan: Sequence[Scenario | WrongFile], against: Running | None, told: _Told) -> tuple[list[Outcome], bool]:
    """Run what can be run, one after the other. What came of it, and whether it was cut short."""
    outcomes: list[Outcome] = []
    for item in plan:
        if isinstance(item, WrongFile):
            outcomes.append(item)
            continue
        try:
            result = replay(item, against)
        except ScenarioError as error:
            outcomes.append(WrongFile(item.file, error.mistakes, item.manifests))
            sys.stderr.write("".join(f"{harmless(str(mistake))}\n" for mistake in error.mistakes))
            continue
        except RunInterruptedError as error:
            told.tell(harmless(f"interrupted {item.title}"))
            return [*outcomes, error.result], True
        outcomes.append(result)
        told.tell(report(result))
    return outcomes, False


def load(files: Sequence[str], run_options: RunOptions, kinds: Sequence[str] = ()) -> list[Scenario]:
    """All runs that the files hold. Raises `ScenarioError` with every mistake in all of them."""
    plan = read(files, run_options, kinds)
    mistakes = [mistake for item in plan if isinstance(item, WrongFile) for mistake in item.mistakes]
    if mistakes:
        raise ScenarioError(mistakes)
    return [item for item in plan if isinstance(item, Scenario)]


def read(files: Sequence[str], run_options: RunOptions, kinds: Sequence[str] = ()) -> list[Scenario | WrongFile]:
    """What the files hold, in their order: runs, a matrix counting for several, and files that are wrong, of which nothing is run.

    ``kinds`` are those the cluster has, empty where that isn't known. Raises `VariableError` for one that no scenario has.
    """
    plan: list[Scenario | WrongFile] = []
    declared: list[str] = []
    for file in files:
        manifests: dict[str, None] = {}
        try:
            plan += _read_file(file, run_options, kinds, declared, manifests)
        except ScenarioError as error:
            plan.append(WrongFile(file, error.mistakes, tuple(manifests)))
    problem = variables.unknown(run_options.variables, declared)
    if problem and not any(isinstance(item, WrongFile) for item in plan):
        raise variables.VariableError(problem)
    return plan


def _read_file(file: str, run_options: RunOptions, kinds: Sequence[str], declared: list[str], manifests: dict[str, None]) -> list[Scenario]:
    """The runs of one file; the variables it has and the files it reads are added to ``declared`` and ``manifests``.

    Raises `ScenarioError`.
    """
    root = read_scenario(file)
    spec = root.find("spec").plain()
    own = (spec.get("vars") if isinstance(spec, dict) else None) or {}
    own = own if isinstance(own, dict) else {}
    declared += own
    replacements = variables.overrides(own, run_options.variables)
    scenarios: list[Scenario] = []
    mistakes: list[Mistake] = []
    runs: list[Object] = []
    for row in _rows(spec):
        values = variables.resolve(own, replacements, row)
        if values in runs:  # replaced from outside, two rows may be the same
            continue
        runs.append(values)
        expressions = Expressions(lambda: 0.0)
        found = check(file, root, values, expressions, kinds)
        mistakes += found.mistakes
        manifests |= dict.fromkeys(found.manifests)
        if not found.mistakes:
            built = _build(file, root, values, row, RunOptions(run_options.seed, replacements), expressions)
            scenarios.append(replace(built, manifests=found.manifests, defines_kinds=found.defines_kinds))
    if mistakes:
        raise ScenarioError(list(dict.fromkeys(mistakes)))
    return scenarios


def replay(scenario: Scenario, against: Running | None = None) -> Result:
    """Run one scenario to its end, whatever that is. Raises `RunInterruptedError`.

    Raises `ScenarioError` where there can be no such cluster, which only putting it together tells, and where the one that is up isn't what
    the scenario asks for.
    """
    # Where a run is cut short from outside, what there is of it is still reported.
    runs: list[Run] = []

    async def on_throwaway() -> Result:
        async with booted(scenario) as (target, cluster):
            runs.append(Run(scenario, target, fresh=True))
            with noted(runs[0].result.timeline):
                result = await runs[0].play()
            if cluster.failures:
                result.error = "; ".join(f"{type(failure).__name__}: {failure}" for failure in cluster.failures)
            return result

    async def on_running(running: Running) -> Result:
        def tell() -> None:
            sys.stderr.write(f"The cluster's clock is paused, and nothing happens until it goes on: {running.resume}\n")
            sys.stderr.flush()

        async with connected(running.access, tell) as target:
            _check_running(scenario, target)
            await _check_there_before(scenario, target)
            runs.append(Run(scenario, target, fresh=False))
            runs[0].result.where = running.options
            return await runs[0].play()

    limit = f"the run took longer than {format_duration(scenario.timeouts.wall_s)} of real time (timeouts.wall)"
    try:
        if against is not None:
            return run_on_loop(scenario, lambda: on_running(against), virtual=False)
        return run_on_loop(scenario, on_throwaway, virtual=scenario.clock.virtual)
    except KeyboardInterrupt:
        raise RunInterruptedError(_cut_short(scenario, runs, against, "interrupted")) from None
    except WallTimeoutError:
        return _cut_short(scenario, runs, against, limit)
    except (ConnectionError, StatusError, KubeconfigError) as error:
        return _broken(scenario, runs, against, str(error))
    except ConfigurationError as error:
        raise ScenarioError([Mistake(scenario.file, scenario.cluster_position, str(error))]) from error
    except ScenarioError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever goes wrong in svcsim is reported as such, with exit code 3
        traceback.print_exc()
        return _broken(scenario, runs, against, f"{type(error).__name__}: {error}")


def _check_running(scenario: Scenario, target: TargetCluster) -> None:
    """Raises `ScenarioError` where the cluster that is up isn't what the scenario asks for."""
    assert target.running is not None, "asked of a cluster that was up before"
    if found := [Mistake(scenario.file, *lack) for lack in lacks(scenario.asked, scenario.cluster, target.running)]:
        raise ScenarioError(found)


async def _check_there_before(scenario: Scenario, target: TargetCluster) -> None:
    """Raises `ScenarioError` where the scenario would take what is in the cluster that is up for its own, and delete it.

    What is on its way out, as after another scenario, is waited for as long as a clean-up may take.
    """
    there_before = ThereBefore(scenario, target)
    if found := await there_before.endangered():
        raise ScenarioError(found)
    left_s = scenario.timeouts.cleanup_s
    while found := await there_before.endangered(going=True):
        if left_s <= 0 or target.clock.speed == 0:
            raise ScenarioError(found)
        await target.clock.sleep(_LOOKED_AGAIN_S)
        left_s -= _LOOKED_AGAIN_S


def _rows(spec: Json) -> list[Object | None]:
    rows = spec.get("matrix") if isinstance(spec, dict) else None
    return [row if isinstance(row, dict) else None for row in rows] if isinstance(rows, list) and rows else [None]


def _build(file: str, root: Node, values: Object, row: Object | None, run_options: RunOptions, expressions: Expressions) -> Scenario:
    def evaluate(text: str) -> Json:
        value = expressions.evaluate(expressions.compile(text), {"vars": values})
        return None if isinstance(value, Unknown) else value

    return build(file, root, values, row, run_options, lambda value: interpolation.expand(value, evaluate))


def _broken(scenario: Scenario, runs: list[Run], against: Running | None, error: str) -> Result:
    result = _cut_short(scenario, runs, against, error)
    result.error = error
    return result


def _cut_short(scenario: Scenario, runs: list[Run], against: Running | None, why: str) -> Result:
    """What there is of a run that didn't come to its end, also of one that did not come to have a cluster."""
    if runs:
        return runs[0].cut_short(why)
    skipped = [Case(step.id, step.position, SKIPPED) for step in scenario.steps]
    where = () if against is None else against.options
    return Result(scenario, Timeline(lambda: 0.0), cases=skipped, error=why, where=where)


def _why(error: OSError) -> str:
    told = (error.strerror or str(error)).lower()
    return f"{error.filename}: {told}" if error.filename else told


def _no_report(why: str) -> int:
    """Tell it; gives the exit code."""
    sys.stderr.write(f"the report can't be written: {harmless(why)}\n")
    return EXIT_BROKEN


def _unwritable(path: str | None) -> str:
    """Why there can be no report at a path; empty if there can. Told before a run that may take long."""
    if path is None:
        return ""
    if Path(path).is_dir():
        return f"{path} is a directory"
    if not Path(path).absolute().parent.is_dir():
        return f"{path}: there is no directory {Path(path).parent}"
    return "" if os.access(path if Path(path).exists() else Path(path).absolute().parent, os.W_OK) else f"{path}: permission denied"


def _written_over(plan: Sequence[Scenario | WrongFile], junit: str | None, json: str | None) -> str:
    """Which file one report would take from another or from a scenario; empty if none. Devices such as /dev/null hold nothing to lose."""
    taken = {os.path.realpath(manifest): f"a file that {item.file} reads" for item in plan for manifest in item.manifests}
    taken |= {os.path.realpath(item.file): "the scenario" for item in plan if item.file != STANDARD_INPUT}
    for option, path in (("--junit", junit), ("--json", json)):
        if path is None or (Path(path).exists() and not Path(path).is_file()):
            continue
        place = os.path.realpath(path)
        if place in taken:
            return f"{option} {path} is {taken[place]} too; choose another file"
        taken[place] = f"that of {option}"
    return ""


def _write_reports(results: list[Outcome], junit: str | None, json: str | None) -> None:
    """Raises `OSError` where one can't be written; the other is, all the same."""
    with ExitStack() as both:
        if junit is not None:
            from svcsim.scenario import junit as junit_report  # noqa: PLC0415 - XML is slow to import

            both.callback(junit_report.write, junit, results)
        if json is not None:
            from svcsim.scenario import json_report  # noqa: PLC0415 - asked for now and then

            both.callback(json_report.write, json, results)
