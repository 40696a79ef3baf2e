"""Damage to the data file of a store at rest: bits, bytes, heads of pages, pages zeroed, copied and swapped, the file cut short.

Whatever is changed, a store is refused in a sentence, or everything it shows is what was written, or what it can't show is told as damaged
and can be deleted. Nothing is silently different, and nothing ends the process: every try is made in a child, whose death would be noticed.
"""

import asyncio
import json
import os
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from svcsim.chance import Chance
from svcsim.storage.contract import CompactedError, CorruptError, Damage, Event, FormatError, Key, Record
from svcsim.storage.data_file import DATA_FILE
from svcsim.storage.store import LmdbStore
from tests.soak.progress import strikes
from tests.storage.words import Script, body, envelope

RESOURCES = ("pods", "configmaps", "events.k8s.io/events")
NAMESPACES = ("default", "kube-system", "a", "b")
OBJECTS = 120
PAGE_BYTES = 4096
CHUNK = 100
"""Tries in one child."""
META = {"cluster": b'{"seed":7}', "history-marks": b"\x91\x92\x01\x02"}
MAP_BYTES = 256 * 1024**2


class Truth(NamedTuple):
    """What was written."""

    states: dict[Key, Record]
    events: list[Event]
    since: int
    revision: int


class SilentError(Exception):
    """Something else was shown, without a word."""


def main(count: int, seed: int) -> str:
    """Damage a store so often; a line of figures. Raises `SilentError` for the first that isn't as it has to be."""
    with tempfile.TemporaryDirectory() as home:
        made = Path(home) / "made"
        truth = asyncio.run(_make(made, Chance(seed)))
        whole = (made / DATA_FILE).read_bytes()
        results: Counter[str] = Counter()
        for first in strikes(count, CHUNK):
            tries = range(first, min(first + CHUNK, count))
            results.update(_in_child(lambda number: _try(Path(home), whole, truth, Chance(seed).fork(f"try {number}")), tries))
    return ", ".join([f"damaged {count}", *[f"{what} {number}" for what, number in sorted(results.items())], "silent 0, aborts 0"])


async def _make(path: Path, chance: Chance) -> Truth:
    """A store with some of everything: short and long values, several states of a key, deletions, a compacted past."""
    store = LmdbStore.open(path, dialect="svcapi", durability="process", threads=False, map_bytes=MAP_BYTES)
    script = Script(store)
    keys = [Key(chance.choice(RESOURCES), chance.choice(NAMESPACES), f"object-{i}") for i in range(OBJECTS)]
    for i, key in enumerate(keys):
        await script.put(
            key, "x" * chance.integer(0, 3000 if i % 5 else 12_000), app=f"app-{i % 7}", big="l" * (2500 if i % 11 == 0 else 1)
        )
    for key in keys[::3]:
        await script.put(key, "y" * chance.integer(0, 2000), app="changed")
    for name, value in META.items():
        await store.put_meta(name, value)
    await store.compact(store.revision - 30)
    for i, key in enumerate(keys[::7]):
        await (script.remove(key) if i % 2 else script.drop(key, "last"))
    await script.put(keys[0], "again")
    truth = Truth(
        {r.key: r for resource in RESOURCES for r in (await store.list(resource)).records},
        await _events(store, store.compacted),
        store.compacted,
        store.revision,
    )
    await store.close()
    return truth


async def _events(store: LmdbStore, since: int) -> list[Event]:
    found: list[Event] = []
    watcher = store.at(since).watch()
    while watcher.revision < store.revision:
        found += await anext(watcher)
    watcher.close()
    return found


# --- one try ---


def _in_child(attempt: Callable[[int], str], numbers: range) -> list[str]:
    """What each try came to. Raises `SilentError`."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        _report(attempt, numbers, theirs)
    os.close(theirs)
    with os.fdopen(ours) as lines:
        told = [json.loads(line) for line in lines]
    status = os.waitpid(child, 0)[1]
    if told and "wrong" in told[-1]:
        raise SilentError(f"try {numbers[len(told) - 1]}: {told[-1]['wrong']}")
    if status or len(told) < len(numbers):
        raise SilentError(f"try {numbers[len(told)]} ended the process: status {status}")
    return [result["found"] for result in told]


def _report(attempt: Callable[[int], str], numbers: range, pipe: int) -> None:
    """The child's whole life."""
    for number in numbers:
        try:
            result = {"found": attempt(number)}
        except Exception:  # noqa: BLE001 - whatever it is, the parent raises it
            result = {"wrong": traceback.format_exc()}
        os.write(pipe, json.dumps(result).encode() + b"\n")
        if "wrong" in result:
            break
    os._exit(0)


def _try(home: Path, whole: bytes, truth: Truth, chance: Chance) -> str:
    path = home / f"try-{os.getpid()}"
    path.mkdir(exist_ok=True)
    kind = chance.choice(tuple(DAMAGES))
    damaged = DAMAGES[kind](whole, chance)
    (path / DATA_FILE).write_bytes(damaged)
    found = asyncio.run(_look(path, truth))
    return f"{kind}: {found}" if damaged != whole else "nothing changed"


async def _look(path: Path, truth: Truth) -> str:
    try:
        store = LmdbStore.open(path, dialect="svcapi", durability="none", threads=False, map_bytes=MAP_BYTES)
    except FormatError as error:
        if str(path / DATA_FILE) not in str(error):
            raise SilentError(f"refused without a name: {error}") from error
        return "refused"
    try:
        damaged = await _check_states(store, truth)
        past = await _check_past(store, truth)
        await _check_goes_on(store, truth, damaged)
    finally:
        await store.close()
    return "objects damaged" if damaged else past


async def _check_states(store: LmdbStore, truth: Truth) -> dict[Key, None]:
    """Everything that exists now; what is damaged."""
    if store.revision != truth.revision or any(store.get_meta(name) != value for name, value in META.items()):
        raise SilentError(f"revision {store.revision}, not {truth.revision}, or what the cluster keeps is another")
    damaged: dict[Key, None] = {}
    for resource in RESOURCES:
        damage: list[Damage] = []
        bodies = [text async for _, some in store.bodies(resource, on_damage=damage.append) for text in some]
        damaged.update((found.key, None) for found in damage)
        intact = [state.body for key, state in sorted(truth.states.items()) if key.resource == resource and key not in damaged]
        if bodies != intact:
            raise SilentError(f"another list of {resource}, with {list(damaged)} damaged")
        if await store.count(resource) != len(bodies) + len(damage):
            raise SilentError(f"another number of {resource}")
    for key, state in truth.states.items():
        try:
            record = store.get(key)
        except CorruptError:
            if key not in damaged:
                raise SilentError(f"{key} is in lists, and damaged") from None
        else:
            if record is None or key in damaged or record != state:
                raise SilentError(f"another {key}: {record}")
    return damaged


async def _check_past(store: LmdbStore, truth: Truth) -> str:
    """History as it was, or an error."""
    try:
        events = await _events(store, truth.since)
    except (CorruptError, CompactedError):
        return "history damaged"
    if events != truth.events:
        raise SilentError("another history")
    return "nothing of it was in use, or it was mended"


async def _check_goes_on(store: LmdbStore, truth: Truth, damaged: dict[Key, None]) -> None:
    """What is damaged can be deleted, and then everything is as if it had never been; writes go on."""
    for key in damaged:
        await store.discard(key, envelope(), body("gone"))
    new = Key("pods", "default", "new")
    script = Script(store)
    revision = await script.put(new, "z" * 5000)
    if revision <= truth.revision:
        raise SilentError(f"revision {revision} a second time")
    await store.compact(store.revision)
    left = [record.key for resource in RESOURCES for record in (await store.list(resource)).records]
    if sorted(left) != sorted([*[key for key in truth.states if key not in damaged], new]):
        raise SilentError(f"after {list(damaged)} were deleted, others are there")


# --- damages ---


def _page_of_a_sort(whole: bytes, chance: Chance) -> int:
    """Where a page begins: of the small tables as often as of the large ones."""
    pages = range(0, len(whole), PAGE_BYTES)
    heads = list(pages[:2])
    meta = [at for at in pages if b"resource/" in whole[at : at + PAGE_BYTES]]
    bodies = [at for at in pages if b'{"rv":' in whole[at : at + PAGE_BYTES]]
    rest = [at for at in pages if at not in {*heads, *meta, *bodies}]
    return chance.choice(chance.choice((heads, meta, bodies, rest, list(pages))))


def _bit(whole: bytes, chance: Chance) -> bytes:
    at = _page_of_a_sort(whole, chance) + chance.integer(0, PAGE_BYTES - 1)
    return _put(whole, at, bytes([whole[at] ^ 1 << chance.integer(0, 7)]))


def _bytes(whole: bytes, chance: Chance) -> bytes:
    return _put(whole, _page_of_a_sort(whole, chance) + chance.integer(0, PAGE_BYTES - 6), _noise(6, chance))


def _head(whole: bytes, chance: Chance) -> bytes:
    return _put(whole, _page_of_a_sort(whole, chance) + chance.integer(0, 12), _noise(4, chance))


def _zeroed(whole: bytes, chance: Chance) -> bytes:
    return _put(whole, _page_of_a_sort(whole, chance), bytes(PAGE_BYTES))


def _copied(whole: bytes, chance: Chance) -> bytes:
    source = _page_of_a_sort(whole, chance)
    return _put(whole, _page_of_a_sort(whole, chance), whole[source : source + PAGE_BYTES])


def _sector(whole: bytes, chance: Chance) -> bytes:
    return _put(whole, _page_of_a_sort(whole, chance) + 512 * chance.integer(0, 7), _noise(512, chance))


def _cut_short(whole: bytes, chance: Chance) -> bytes:
    return whole[: chance.integer(0, len(whole) - 1)]


def _put(whole: bytes, at: int, new: bytes) -> bytes:
    return whole[:at] + new + whole[at + len(new) :]


def _noise(count: int, chance: Chance) -> bytes:
    return bytes(chance.integer(0, 255) for _ in range(count))


DAMAGES = {
    "bit": _bit,
    "bytes": _bytes,
    "head of a page": _head,
    "zeroed page": _zeroed,
    "copied page": _copied,
    "noise for a sector": _sector,
    "cut short": _cut_short,
}
