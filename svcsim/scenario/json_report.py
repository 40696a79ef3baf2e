"""Reports for programs: a JSON document a line, each with its ``version`` and ``type``.

``step`` lines follow one another as the steps did; a ``scenario`` line ends each run and carries its ``journalHash``. A ``file`` line
stands for a file that could not be run.
"""

from pathlib import Path

from svcsim.clock import format_time
from svcsim.meta.codec import encode
from svcsim.meta.types import Json, Object
from svcsim.scenario.results import WRONG, Case, Outcome, Result, WrongFile

VERSION = 1


def write(path: str, outcomes: list[Outcome]) -> None:
    """Write all runs into one file."""
    Path(path).write_bytes(b"".join(encode(line) + b"\n" for outcome in outcomes for line in _lines(outcome)))


def _lines(outcome: Outcome) -> list[Object]:
    if isinstance(outcome, WrongFile):
        mistakes: list[Json] = [str(mistake) for mistake in outcome.mistakes]
        return [{"version": VERSION, "type": "file", "file": outcome.file, "outcome": WRONG, "mistakes": mistakes}]
    return [*(_step(outcome, case) for case in outcome.cases), _scenario(outcome)]


def _step(result: Result, case: Case) -> Object:
    line: Object = {
        "version": VERSION,
        "type": "step",
        "scenario": result.scenario.title,
        "id": case.id,
        "outcome": case.outcome,
        "file": result.scenario.file,
        "line": case.position.line,
        "clusterSeconds": round(case.cluster_s, 6),
        "wallSeconds": round(case.wall_s, 6),
    }
    if case.failure is not None:
        line["message"] = case.failure.message
        line["details"] = case.failure.details
    return line


def _scenario(result: Result) -> Object:
    scenario = result.scenario
    line: Object = {
        "version": VERSION,
        "type": "scenario",
        "scenario": scenario.title,
        "file": scenario.file,
        "outcome": result.outcome,
        "seed": scenario.seed,
        "vars": scenario.variables,
        "clusterStart": format_time(result.start_s),
        "clusterSeconds": round(result.cluster_s, 6),
        "wallSeconds": round(result.wall_s, 6),
        "revision": result.revision,
        "journalHash": result.journal_hash,
    }
    if result.error:
        line["error"] = result.error
    return line
