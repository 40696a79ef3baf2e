"""Continue tokens: only ours are taken, and for five minutes."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svcsim.meta.errors import StatusError
from svcsim.meta.label_selectors import parse_labels
from svcsim.registry.continuation import Continuation, seal, unseal
from svcsim.storage.contract import Key
from tests.registry.asking import asking, names
from tests.virtual import run_virtual

KEY = b"k" * 32
texts = st.text(max_size=20)
continuations = st.builds(
    Continuation,
    st.integers(0, 2**63 - 1),
    st.builds(Key, texts, texts, texts),
    st.none() | st.integers(0, 10**9),
    st.floats(0, 1e10),
)


@given(continuations)
def test_a_token_says_what_was_sealed_in_it(continuation: Continuation):
    assert unseal(KEY, seal(KEY, continuation)) == continuation


@given(continuations, st.data())
def test_a_token_with_any_byte_changed_is_refused(continuation: Continuation, data: st.DataObject):
    token = seal(KEY, continuation)
    raw = bytearray(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= data.draw(st.integers(1, 255))
    with pytest.raises(StatusError, match="continue key is not valid") as refused:
        unseal(KEY, base64.urlsafe_b64encode(bytes(raw)).decode().rstrip("="))
    assert refused.value.code == 400


@given(continuations)
def test_another_clusters_token_is_refused(continuation: Continuation):
    with pytest.raises(StatusError, match="not made by this cluster"):
        unseal(b"other", seal(KEY, continuation))


@given(st.text())
def test_whatever_is_no_token_is_a_bad_request(text: str):
    with pytest.raises(StatusError, match="continue key is not valid"):
        unseal(KEY, text)


async def _three(cluster) -> str:
    for name in ("a", "b", "c"):
        await cluster.create(name)
    return (await cluster.list(limit=1)).continue_token


@pytest.mark.virtual_time
async def test_after_five_minutes_the_rest_is_offered_as_it_is_then():
    async with asking() as cluster:
        token = await _three(cluster)
        await cluster.sleep(299)
        assert names(await cluster.list(limit=1, continue_token=token)) == ["b"]
        await cluster.sleep(2)
        await cluster.delete("b")
        await cluster.create("d")
        with pytest.raises(StatusError, match="The provided continue parameter is too old") as expired:
            await cluster.list(limit=1, continue_token=token)
        assert (expired.value.code, expired.value.reason) == (410, "Expired")
        fresh = expired.value.metadata["continue"]
        rest = await cluster.list(limit=2, continue_token=fresh)
        assert names(rest) == ["c", "d"]
        assert rest.revision == cluster.cluster.store.revision, "as it is now"


@pytest.mark.virtual_time
async def test_the_rest_as_it_is_now_says_how_many_remain():
    async with asking() as cluster:
        token = await _three(cluster)
        await cluster.sleep(301)
        for name in ("d", "e", "0"):
            await cluster.create(name)
        with pytest.raises(StatusError, match="too old") as expired:
            await cluster.list(limit=1, continue_token=token)
        fresh = expired.value.metadata["continue"]
        page, told = await cluster.list(limit=1, continue_token=fresh), []
        while page.continue_token:
            told.append((names(page), page.remaining))
            page = await cluster.list(limit=1, continue_token=page.continue_token)
        assert told == [(["b"], 3), (["c"], 2), (["d"], 1)]
        selected = await cluster.list(limit=1, continue_token=fresh, label_selector=parse_labels("!none"))
        assert (names(selected), selected.remaining) == (["b"], None)


@pytest.mark.virtual_time
async def test_a_page_says_how_many_remain():
    async with asking() as cluster:
        token = await _three(cluster)
        await cluster.create("d")
        second = await cluster.list(limit=1, continue_token=token)
        assert (names(second), second.remaining) == (["b"], 1), "of the list that was begun"
        last = await cluster.list(limit=1, continue_token=second.continue_token)
        assert (names(last), last.remaining, last.continue_token) == (["c"], None, "")


def test_a_token_outlives_a_restart(tmp_path):
    async def before() -> str:
        async with asking(data_dir=tmp_path) as cluster:
            return await _three(cluster)

    async def after(token: str):
        async with asking(data_dir=tmp_path) as cluster:
            assert names(await cluster.list(limit=2, continue_token=token)) == ["b", "c"]

    run_virtual(after(run_virtual(before())))
