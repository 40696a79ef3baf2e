"""The one table of words that differ."""

import re
from pathlib import Path

import pytest

import svcsim
from svcsim.dialect import DIALECTS, KUBERNETES, SVCAPI

ROOT = Path(svcsim.__file__).parent
SPELLED = re.compile(r"(?<![.-])(?:svcapi\.io|k8s\.io|kubernetes\.io)")


@pytest.mark.parametrize(
    ("dialect", "group", "label", "taint"),
    [
        (SVCAPI, "storage.svcapi.io", "svcapi.io/hostname", "node.svcapi.io/not-ready"),
        (KUBERNETES, "storage.k8s.io", "kubernetes.io/hostname", "node.kubernetes.io/not-ready"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_dialect_names_groups_and_keys(dialect, group: str, label: str, taint: str) -> None:
    assert dialect.group("storage") == group
    assert dialect.key("hostname") == label
    assert dialect.key("not-ready", "node") == taint


def test_the_first_namespaces_are_the_dialects() -> None:
    assert KUBERNETES.system_namespaces == ("default", "kube-node-lease", "kube-public", "kube-system")
    assert SVCAPI.system_namespaces == ("default", "svc-node-lease", "svc-public", "svc-system")
    assert [DIALECTS[name].default_service for name in ("svcapi", "kubernetes")] == ["svcapi", "kubernetes"]


def test_no_other_file_spells_a_suffix() -> None:
    """Docstrings may name an example; code may not. What ends in ``.x-k8s.io`` is others'."""
    guilty = []
    for path in sorted(ROOT.rglob("*.py")):
        if path.name == "dialect.py":
            continue
        code = re.sub(r'"""(?:.|\n)*?"""', "", path.read_text())
        guilty += [f"{path.relative_to(ROOT)}: {line.strip()}" for line in code.splitlines() if SPELLED.search(line.split("#")[0])]
    assert guilty == []
