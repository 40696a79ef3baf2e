"""Reports for people: one line a run while all is well, and everything that helps when it isn't."""

import shlex

from svcsim.meta.times import format_duration
from svcsim.printing.harmless import one_line
from svcsim.scenario.results import BROKEN, FAILED, HELD, Case, Result
from svcsim.scenario.variables import as_text

_MOMENTS_SHOWN = 30


def report(result: Result) -> str:
    """What is printed for a run, whatever the scenario and the objects it quotes hold: nothing of it steers a terminal."""
    lines = [summary(result)]
    for case in result.cases:
        if case.outcome == FAILED:
            lines += failure_lines(result, case)
    if result.outcome == BROKEN:
        lines += [f"  svcsim itself failed: {result.error}"]
    if result.outcome != HELD:
        lines += ["", f"  run it again: {again(result)}"]
    return "\n".join(one_line(part) for line in lines for part in line.split("\n"))


def summary(result: Result) -> str:
    """The run in one line, its journal's hash included."""
    took = f"{format_duration(round(result.cluster_s, 3))} in {result.wall_s:.2f}s"
    summary = f"{result.outcome.ljust(7)} {result.scenario.title}  seed {result.scenario.seed}  {took}"
    return f"{summary}  journal {result.journal_hash}" if result.journal_hash else summary


def again(result: Result) -> str:
    """One command that repeats the run."""
    scenario = result.scenario
    words = ["svcsim", "replay", scenario.file, *result.where, "--seed", str(scenario.seed)]
    # One of several rows is meant where every variable is given, since all rows are then the same.
    for name, value in (scenario.overrides if scenario.row is None else scenario.variables).items():
        words += ["--var", f"{name}={as_text(value)}"]
    return shlex.join(words)


def failure_lines(result: Result, case: Case) -> list[str]:
    """Why a case failed, what difference was left, and what happened before."""
    assert case.failure is not None, "a case that failed has a failure"
    where = f"{result.scenario.file}:{case.position.line}"
    lines = ["", f"  {case.id} ({where}): {case.failure.message}"]
    lines += [f"    {detail}" for detail in case.failure.details]
    moments = result.timeline.of(case.id) or result.timeline.last(_MOMENTS_SHOWN)
    if moments:
        shown = moments[-_MOMENTS_SHOWN:]
        lines += ["", f"  the last {len(shown)} of {len(moments)} moments of {case.id}, in cluster time since the scenario began:"]
        lines += [f"    {moment.text(result.start_s)}" for moment in shown]
    if case.looked_at:
        lines += ["", *(f"    {line}" for line in case.looked_at)]
    return lines
