"""Every limit has one name, one value and a user."""

import re
from collections import Counter
from pathlib import Path

import svcsim

SOURCES = Path(svcsim.__file__).parent
NAMES = re.findall(r"^([A-Z_]+) =", (SOURCES / "limits.py").read_text(), re.MULTILINE)


def test_no_limit_is_set_twice():
    assert [name for name, times in Counter(NAMES).items() if times > 1] == []


def test_no_limit_is_written_down_and_forgotten():
    code = "\n".join(path.read_text() for path in SOURCES.rglob("*.py") if path.name != "limits.py")
    assert [name for name in NAMES if not re.search(rf"\b{name}\b", code)] == []
