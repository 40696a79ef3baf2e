"""Every limit has one name, one value, a user, and its place in the group of its room; no other file sets one."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import svcsim

SOURCES = Path(svcsim.__file__).parent
NAMES = re.findall(r"^([A-Z_]+) =", (SOURCES / "limits.py").read_text(), re.MULTILINE)
MODULES = {path: path.read_text() for path in sorted(SOURCES.rglob("*.py")) if path.name != "limits.py"}

BOUNDED = {"lru_cache", "deque", "Queue", "LifoQueue", "PriorityQueue", "Semaphore", "BoundedSemaphore"}
"""Calls whose number is a limit."""
SAYS_LIMIT = re.compile(
    r"TRIES|ATTEMPTS|KEPT|REMEMBERED|WORKERS|WAITING|QUEUE|CACHE|AT_ONCE|IN_FLIGHT|A_TURN|LEVELS|DEPTH|COMPILED|ALIASES"
)
"""Names of constants that are limits, unless they are times."""


def test_no_limit_is_set_twice():
    assert [name for name, times in Counter(NAMES).items() if times > 1] == []


def test_no_limit_is_written_down_and_forgotten():
    used = words(MODULES.values())
    assert [name for name in NAMES if name not in used] == []


def test_a_limit_stands_in_the_group_of_a_room_that_uses_it():
    groups = re.split(r"^# (\w+)/: .+\.$", (SOURCES / "limits.py").read_text(), flags=re.MULTILINE)
    assert re.findall(r"^[A-Z_]+ =", groups[0], re.MULTILINE) == []
    assert [room for room, times in Counter(groups[1::2]).items() if times > 1] == []
    strangers = []
    for room, group in zip(groups[1::2], groups[2::2], strict=True):
        used = words(text for path, text in MODULES.items() if path.relative_to(SOURCES).parts[0] == room)
        strangers += [name for name in re.findall(r"^([A-Z_]+) =", group, re.MULTILINE) if name not in used]
    assert strangers == []


def test_no_other_file_sets_a_limit():
    found = [
        f"{path.relative_to(SOURCES)}: {finding}"
        for path, text in MODULES.items()
        if any(word in text for word in (*BOUNDED, "cache")) or SAYS_LIMIT.search(text)
        for finding in own_limits(ast.parse(text))
    ]
    assert found == []


def test_limits_of_a_files_own_are_found():
    text = """
_TRIES = 5
ROOM = 2 * 10
limits_of_others = deque(maxlen=limits.EVENTS)
a = lru_cache(maxsize=4096)
b = asyncio.Queue(ROOM)
@cache
def c(x): ...
"""
    assert sorted(own_limits(ast.parse(text))) == [
        "_TRIES",
        "asyncio.Queue(ROOM)",
        "c is cached without a limit",
        "lru_cache(maxsize=4096)",
    ]


def words(texts: Iterable[str]) -> set[str]:
    """Names in capitals that stand in any of them."""
    return {word for text in texts for word in re.findall(r"\b[A-Z_]+\b", text)}


def own_limits(module: ast.Module) -> Iterator[str]:
    """What a module sets itself although it is a limit."""
    numbers = {
        node.targets[0].id: node.value for node in module.body if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    numbers = {name: value for name, value in numbers.items() if is_number(value, {})}
    yield from (name for name in numbers if SAYS_LIMIT.search(name) and not name.endswith("_S"))
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and called(node.func) in BOUNDED:
            if any(is_number(value, numbers) for value in [*node.args, *(keyword.value for keyword in node.keywords)]):
                yield ast.unparse(node)
        elif isinstance(node, ast.FunctionDef):
            yield from (f"{node.name} is cached without a limit" for one in node.decorator_list if called(one) in {"cache", "lru_cache"})


def called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""


def is_number(value: ast.expr, numbers: dict[str, ast.expr]) -> bool:
    if isinstance(value, ast.BinOp):
        return is_number(value.left, numbers) and is_number(value.right, numbers)
    if isinstance(value, ast.Name):
        return value.id in numbers
    return isinstance(value, ast.Constant) and isinstance(value.value, int | float) and not isinstance(value.value, bool)
