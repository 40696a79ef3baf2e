"""What a record says, on its way from whoever wrote it to whoever comes to it next: never written, never out of step with the body."""

import pytest

from svcsim.storage.contract import Body
from tests.storage.words import body, envelope, pod

SAYS = {"text": "hello"}
SAYING = body("hello")._replace(says=SAYS)


async def test_it_is_handed_to_readers_and_watchers(store):
    watcher = store.watch("pods")
    made = await store.create(pod("a"), envelope(), SAYING)
    assert made.says is SAYS
    assert store.latest(pod("a")).says is SAYS
    (event,) = await anext(aiter(watcher))
    assert event.record.says is SAYS
    changed = await store.update(pod("a"), envelope(), body("bye"), expected=made.revision)
    assert store.latest(pod("a")).says is None, "it is another state, of which nothing is said"
    gone = await store.delete(pod("a"), envelope(), SAYING, expected=changed.revision)
    changed_event, gone_event = await anext(aiter(watcher))
    assert changed_event.record.says is None
    assert gone_event.record == gone
    assert gone.says is SAYS
    watcher.close()


async def test_it_is_no_part_of_what_is_stored(store, opened, tmp_path):
    made = await store.create(pod("a"), envelope(), SAYING)
    (listed,) = (await store.list("pods", None)).records
    assert listed == made._replace(says=None)
    watcher = store.at(made.revision - 1).watch("pods")
    (event,) = await anext(aiter(watcher))
    assert event.record.says is None, "it was read from the log"
    watcher.close()


async def test_what_nobody_waits_for_is_decoded_if_anybody_comes_to_it(store):
    made = await store.create(pod("a"), envelope(), SAYING, waits=False)
    assert made.says is None
    await store.settled()
    assert store.latest(pod("a")).says is None


@pytest.mark.parametrize("said", [None, SAYS])
async def test_a_last_state_that_is_as_it_was_is_stored_without_its_body(store, said):
    made = await store.create(pod("a"), envelope(), body("hello"))
    cut = Body(*body("hello")[:2], said)
    gone = await store.delete(pod("a"), envelope(), cut, expected=made.revision)
    assert gone.says is said
