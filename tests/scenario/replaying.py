"""Writing a scenario into a directory and replaying it, for tests that look at what comes out."""

from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest

from svcsim.meta.types import Object
from svcsim.scenario.runner import main

HEAD = """\
apiVersion: svcsim.dev/v1
kind: Scenario
metadata: {name: test}
spec:
"""


WIDGETS = """
    - create:
        object:
          apiVersion: apiextensions.svcapi.io/v1
          kind: CustomResourceDefinition
          metadata: {name: widgets.example.com}
          spec:
            group: example.com
            scope: Namespaced
            names: {plural: widgets, kind: Widget}
            versions:"""
"""Makes a kind; its versions follow."""


@dataclass
class Outcome:
    """What a replay gave: its exit code, what it printed, and the lines of its JSON report."""

    code: int
    out: str
    err: str
    lines: list[Object]

    def of_type(self, kind: str) -> list[Object]:
        return [line for line in self.lines if line["type"] == kind]


@dataclass
class Replayer:
    """Replays the spec of a scenario, given as YAML without its head."""

    directory: Path
    capsys: pytest.CaptureFixture[str]

    def write(self, spec: str, name: str = "test.yaml") -> Path:
        path = self.directory / name
        path.write_text(HEAD + spec)
        return path

    def __call__(self, spec: str, *variables: str, seed: int | None = None) -> Outcome:
        report = self.directory / "report.json"
        code = main([str(self.write(spec))], seed=seed, vars=variables, json=str(report))
        printed = self.capsys.readouterr()
        lines = [orjson.loads(line) for line in report.read_bytes().splitlines()] if report.exists() else []
        return Outcome(code, printed.out, printed.err, lines)
