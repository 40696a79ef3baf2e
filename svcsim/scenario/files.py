"""Which files are meant: a directory stands for the scenarios in it, ``-`` for standard input."""

import re
from collections.abc import Sequence
from pathlib import Path

STANDARD_INPUT = "-"
_IS_SCENARIO = re.compile(r"^[\"']?kind[\"']?:\s*[\"']?Scenario\b", re.MULTILINE)


def expand(paths: Sequence[str]) -> list[str]:
    """The files, each once; of a directory and all below it those YAML files that are scenarios, in the order of their names."""
    found: dict[str, None] = {}
    for path in paths:
        if path != STANDARD_INPUT and Path(path).is_dir():
            found |= dict.fromkeys(_scenarios(Path(path)) or [path])  # an empty one is told as a file that can't be read is
        else:
            found[path] = None
    return list(found)


def _scenarios(directory: Path) -> list[str]:
    candidates = sorted(file for file in directory.rglob("*") if file.suffix in (".yaml", ".yml") and file.is_file())
    return [str(file) for file in candidates if _IS_SCENARIO.search(file.read_text(encoding="utf-8", errors="replace"))]
