"""Logs that are followed: nothing is missed that comes in late, and time that is wound isn't held for each line."""

import asyncio
import re
from pathlib import Path

import pytest

from svcsim import limits
from svcsim.cluster.cluster import open_cluster
from svcsim.meta.http import Request
from svcsim.nodes.containers.said import Said
from svcsim.nodes.logs.log_following import FollowedByCount
from svcsim.nodes.processes.processes import Listener, Processes
from svcsim.nodes.shell.tree import Disk
from tests.cluster.test_stepping import paused
from tests.living import Living
from tests.nodes.test_processes import of_containers, script


def listener() -> Listener:
    return Listener(Said(Disk(1 << 20)))


def test_a_line_is_told_that_comes_in_with_a_time_that_was_looked_at_before():
    process = listener()
    process.said.write(b"one\ntwo\n", 10.0)
    follower = FollowedByCount(process, 10.0)
    assert [line.text for line in follower.take(12.0, None)] == ["one", "two"]
    process.said.put_in(b"late\n", 11.0)
    assert follower.next_at(13.0) == 13.0
    assert [line.text for line in follower.take(13.0, None)] == ["late"]
    assert follower.next_at(13.0) is None


def test_what_is_kept_no_more_is_told_no_more():
    process = listener()
    follower = FollowedByCount(process, 0.0)
    for number in range(limits.LOG_TAIL_LINES + 3):
        process.said.write(f"{number}\n".encode(), float(number))
    kept = [line.text for line in process.said.lines]
    assert len(kept) <= limits.LOG_TAIL_LINES
    assert [line.text for line in follower.take(1e9, None)] == kept
    process.said.write(b"more\n", 2e9)
    process.said.forget()
    process.said.write(b"last\n", 3e9)
    assert [line.text for line in follower.take(4e9, None)] == ["last"]


async def test_time_that_is_wound_is_not_held_for_each_line_that_somebody_follows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    looks = 0
    catch_up = Processes.catch_up_anew

    async def counted(self: Processes, pod: dict[str, object]) -> None:
        nonlocal looks
        looks += 1
        await catch_up(self, pod)

    monkeypatch.setattr(Processes, "catch_up_anew", counted)
    async with open_cluster(paused(tmp_path)) as made:
        cluster = Living(made)
        await cluster.pods.create(of_containers(script("i=0; while true; do echo $i; i=$((i+1)); sleep 1; done")))
        await made.clock.step(60)
        log = await cluster.client.transport.call(Request("GET", "/api/v1/namespaces/default/pods/web/log", "follow=true"))
        assert log.stream is not None
        told = asyncio.Queue[bytes]()

        async def follow() -> None:
            async for piece in log.stream or ():
                told.put_nowait(piece)

        following = asyncio.ensure_future(follow())
        first = int((await told.get()).split()[-1])
        before, looks = told.qsize(), 0
        await made.clock.step(1200)
        heard: list[int] = []
        while len(heard) - before < 1200:
            heard += map(int, re.findall(rb"\d+", await told.get()))
        following.cancel()
        assert heard == list(range(first + 1, first + 1 + len(heard)))
        assert looks < 600
