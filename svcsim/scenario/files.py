"""Which files are meant: a directory stands for the scenarios in it, ``-`` for standard input."""

import re
from collections.abc import Sequence
from pathlib import Path

from svcsim.meta.codec import decode_yaml_documents
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object

STANDARD_INPUT = "-"
_OURS = "svcsim.dev/"
"""What the version of a scenario begins with, and of stages."""
_SUFFIXES = (".yaml", ".yml", ".json")
_KIND, _STAGE = "Scenario", "Stage"
_SAYS_OURS = re.compile(rf"apiVersion[\"']?\s*:\s*[\"']?{re.escape(_OURS)}|kind[\"']?\s*:\s*[\"']?{_KIND}\b")


def expand(paths: Sequence[str]) -> list[str]:
    """The files, each once; of a directory and all below it those YAML and JSON files that are scenarios, in the order of their names.

    Or are meant to be: one with a mistake in it is reported, and not left out.
    """
    found: dict[str, None] = {}
    for path in paths:
        if path != STANDARD_INPUT and Path(path).is_dir():
            found |= dict.fromkeys(_scenarios(Path(path)) or [path])  # an empty one is told as a file that can't be read is
        else:
            found[path] = None
    return list(found)


def _scenarios(directory: Path) -> list[str]:
    candidates = sorted(file for file in directory.rglob("*") if file.suffix.lower() in _SUFFIXES and file.is_file())
    return [str(file) for file in candidates if _is_scenario(file.read_bytes())]


def _is_scenario(body: bytes) -> bool:
    if not _SAYS_OURS.search(body.replace(b"\0", b"").decode("utf-8", "replace")):  # one in UTF-16 is told of as well
        return False
    try:
        documents = [document.value for document in decode_yaml_documents(body)]
    except StatusError:
        return True
    return any(isinstance(one, dict) and _is_meant_to_be_one(one) for one in documents)


def _is_meant_to_be_one(document: Object) -> bool:
    ours, kind = str(document.get("apiVersion")).startswith(_OURS), document.get("kind")
    return kind == _KIND or (ours and kind != _STAGE)
