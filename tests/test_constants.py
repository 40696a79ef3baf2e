"""A constant has one value: none is assigned twice at the top of a module, which no linter sees."""

import ast
from collections import Counter
from pathlib import Path

import svcsim

SOURCES = Path(svcsim.__file__).parent


def test_no_module_assigns_a_name_twice():
    twice = {}
    for path in sorted(SOURCES.rglob("*.py")):
        found = [name for name, times in Counter(assigned(path.read_text())).items() if times > 1]
        if found:
            twice[str(path.relative_to(SOURCES))] = found
    assert twice == {}


def assigned(text: str) -> list[str]:
    """The names that statements at the left margin give a value. Lines are looked at first: to parse every file would take seconds."""
    lines = [line.split("=")[0].split(":")[0].strip() for line in text.splitlines() if line[:1].isalpha() or line[:1] == "_"]
    if len(lines) == len(set(lines)):
        return []
    return [
        target.id
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    ]
