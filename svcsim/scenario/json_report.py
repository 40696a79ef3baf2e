"""Reports for programs: a JSON document a line, each with its ``version`` and ``type``.

``step`` lines follow one another as the steps did; a ``scenario`` line ends each run and carries its ``journalHash``.
"""

from pathlib import Path

from svcsim.clock import format_time
from svcsim.meta.codec import encode
from svcsim.meta.types import Object
from svcsim.scenario.results import Case, Result

VERSION = 1


def write(path: str, results: list[Result]) -> None:
    """Write all runs into one file."""
    lines = [encode(line) for result in results for line in (*(_step(result, case) for case in result.cases), _scenario(result))]
    Path(path).write_bytes(b"".join(line + b"\n" for line in lines))


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
