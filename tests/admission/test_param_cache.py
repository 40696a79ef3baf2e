"""Objects that policies choose parameters from: read once as long as nothing changes, and never as they no longer are."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from svcsim import limits
from svcsim.admission.policies.param_cache import ParamCache
from svcsim.meta.objects import name_of
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.storage.contract import Body, Key
from svcsim.storage.store import LmdbStore
from tests.storage.words import envelope, open_inline


def a_request() -> AdmissionRequest:
    """All that is asked of one here are its notes."""
    return cast("AdmissionRequest", SimpleNamespace(notes={}))


def stored(name: str, padding: str = "", **labels: str) -> Body:
    obj = {"metadata": {"name": name, "labels": labels}, "padding": padding}
    return Body(json.dumps(obj).encode()[:-1] + b',"rv":"', b'"}')


async def put(store: LmdbStore, name: str, padding: str = "", **labels: str) -> None:
    await store.create(Key("configmaps", "ns", name), envelope(), stored(name, padding, **labels))


async def chosen(cache: ParamCache, request: AdmissionRequest, selector: Object) -> list[Object]:
    return await (await cache.of("configmaps", "ns", request)).selected(selector)


A = {"matchLabels": {"is": "a"}}


async def test_what_is_read_is_shared_until_something_is_written(tmp_path: Path) -> None:
    store = open_inline(tmp_path)
    cache = ParamCache(store)
    await put(store, "one", **{"is": "a"})
    await put(store, "two", **{"is": "b"})
    first = await chosen(cache, a_request(), A)
    assert [name_of(obj) for obj in first] == ["one"]
    assert (await chosen(cache, a_request(), A))[0] is first[0]
    assert len(await chosen(cache, a_request(), {})) == 2
    request = a_request()
    await chosen(cache, request, A)
    await put(store, "three", **{"is": "a"})
    assert len(await chosen(cache, request, A)) == 1, "one request's policies agree on what there is"
    assert [name_of(obj) for obj in await chosen(cache, a_request(), A)] == ["one", "three"]
    await store.close()


@pytest.mark.parametrize(("pieces", "is_shared"), [(1, True), (6, False)])
async def test_what_is_much_is_not_kept(tmp_path: Path, pieces: int, is_shared: bool) -> None:
    store = open_inline(tmp_path)
    cache = ParamCache(store)
    for number in range(pieces):
        await put(store, f"m{number}", "x" * (limits.PARAMS_KEPT_BYTES // 5), **{"is": "a"})
    request = a_request()
    first = await chosen(cache, request, A)
    assert (await chosen(cache, request, A))[0] is first[0], "within a request it is read once, however much it is"
    assert ((await chosen(cache, a_request(), A))[0] is first[0]) is is_shared
    await store.close()
