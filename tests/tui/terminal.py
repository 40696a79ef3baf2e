"""A dashboard in a terminal that tests can type into and read from, over a real cluster in the same event loop."""

import os
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual import events
from textual.keys import _character_to_key as character_to_key
from textual.pilot import Pilot

from svcsim.client.api import Client
from svcsim.client.transport import Transport
from svcsim.cluster.cluster import Cluster
from svcsim.meta.types import Object
from svcsim.tui.app import Dashboard

PICTURES = Path(__file__).parent / "pictures"
_LOOKS = 2_000
"""How often a condition is looked at before it is given up."""


class Terminal:
    """What a person at the dashboard can do and see."""

    def __init__(self, app: Dashboard, pilot: Pilot[Any]) -> None:
        self.app = app
        self._pilot = pilot

    async def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        await self._pilot.press(*keys)

    async def type(self, text: str) -> None:
        """Type a text: each letter comes when the screen is through with the one before."""
        for char in text:
            self._send(char)
            await self._pilot.pause(0)
        await self._pilot.pause()

    async def burst(self, text: str) -> None:
        """Type a text so fast that all of it is there before anything is done."""
        for char in text:
            self._send(char)
        await self._pilot.pause()

    def _send(self, char: str) -> None:
        """The key of a letter, or of the end of a line."""
        self.app.post_message(events.Key("enter" if char == "\n" else character_to_key(char), None if char == "\n" else char))

    async def paste(self, text: str) -> None:
        """Paste a text as terminals do."""
        self.app.post_message(events.Paste(text))
        await self._pilot.pause()

    async def click(self, word: str) -> None:
        """Click the first place on the screen that has a word."""
        y = next(index for index, line in enumerate(self.lines()) if word in line)
        await self._pilot.click(offset=(self.lines()[y].index(word), y))

    def lines(self) -> list[str]:
        """The whole screen as text."""
        return ["".join(segment.text for segment in strip).rstrip() for strip in self.app.screen._compositor.render_strips()]

    def row(self, word: str) -> str:
        """The first line below the bars that has a word; empty if none does."""
        return next((line for line in self.lines()[2:] if word in line), "")

    def title(self) -> str:
        """What the title line says."""
        return self.lines()[1]

    async def until(self, condition: Callable[[], object]) -> None:
        """Let the program run until a condition holds."""
        for _ in range(_LOOKS):
            if condition():
                return
            await self._pilot.pause(0.01)
        raise AssertionError("it never came to be:\n" + "\n".join(self.lines()))

    async def shows(self, *words: str) -> None:
        """Wait until all these words are on the screen."""
        await self.until(lambda: all(word in "\n".join(self.lines()) for word in words))

    async def hides(self, *words: str) -> None:
        """Wait until none of these words is on the screen."""
        await self.until(lambda: not any(word in "\n".join(self.lines()) for word in words))

    def is_like(self, picture: str) -> None:
        """Compare the screen with a picture; with SVCSIM_DRAW set, draw it anew instead."""
        seen = "\n".join(map(_steady, self.lines())) + "\n"
        file = PICTURES / f"{picture}.txt"
        if "SVCSIM_DRAW" in os.environ:
            file.parent.mkdir(exist_ok=True)
            file.write_text(seen)
        assert seen == file.read_text()


def _steady(line: str) -> str:
    """A line without what differs from run to run: revisions, and how long nothing has been heard."""
    if "● connected" not in line:
        return line
    return re.sub(r" {2,}", "   ", re.sub(r"rev \d+( · \w+)?", "rev N", line))


@asynccontextmanager
async def dashboard(
    cluster: Cluster, namespace: str = "default", size: tuple[int, int] = (80, 24), transport: Transport | None = None
) -> AsyncIterator[Terminal]:
    """A dashboard that is looking at a cluster."""
    way = transport or cluster.client("dashboard").transport
    app = Dashboard(lambda: way, cluster.dialect, namespace, "test")
    async with app.run_test(size=size, notifications=True) as pilot:
        terminal = Terminal(app, pilot)
        await terminal.shows("svcsim · test")
        yield terminal


def pod(name: str, namespace: str = "default", **labels: str) -> Object:
    """A pod of one container."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": labels or {"app": name}},
        "spec": {"containers": [{"name": "main", "image": "nginx:1.27"}]},
    }


def deployment(name: str, replicas: int) -> Object:
    """A deployment of such pods."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "main", "image": "nginx:1.27"}]}},
        },
    }


def config_map(name: str, namespace: str = "default") -> Object:
    """Something small that nothing acts on."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": {"greeting": "hello"}}


async def create(client: Client, *objects: Object) -> None:
    """Put objects into the cluster."""
    plurals = {"Pod": "pods", "Deployment": "deployments", "ConfigMap": "configmaps", "Namespace": "namespaces"}
    for obj in objects:
        collection = client.resource(obj["apiVersion"], plurals[obj["kind"]], obj["metadata"].get("namespace", ""))
        await collection.create(obj)
