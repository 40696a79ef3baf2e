"""A few screens as people see them. With SVCSIM_DRAW set they are drawn anew, to be looked at before they are committed."""

from svcsim.cluster.cluster import Cluster
from svcsim.meta.types import Object
from tests.tui.terminal import Terminal, config_map, create, dashboard, pod


def _status(phase: str, ready: int, waiting: str = "", restarts: int = 0) -> Object:
    state: Object = {"waiting": {"reason": waiting}} if waiting else {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
    container = {"name": "main", "image": "nginx:1.27", "imageID": "", "ready": bool(ready), "restartCount": restarts, "state": state}
    return {"phase": phase, "containerStatuses": [container]}


PODS = {
    "api-7d9c6f5b4-x2x4q": _status("Running", 1),
    "cache-0": _status("Running", 1, restarts=3),
    "import-28391": {"phase": "Succeeded"},
    "web-5b8f7c9d6-k9s2m": _status("Running", 0, "CrashLoopBackOff", 12),
    "web-5b8f7c9d6-p4q7z": _status("Pending", 0, "ContainerCreating"),
}


async def _fill(cluster: Cluster) -> None:
    """Pods in several states, five and a half minutes old."""
    client = cluster.client("test")
    pods = client.resource("v1", "pods", "default")
    for name, status in PODS.items():
        await create(client, pod(name))
        await pods.patch(name, {"status": status}, subresource="status")
    await create(client, config_map("settings"))
    await cluster.clock.step(330)


async def _ready(terminal: Terminal) -> None:
    """Wait until the tables are there and the clock has been asked for."""
    await terminal.until(lambda: terminal.app._backend.types.find("configmaps") and terminal.app._backend.namespaces)
    await terminal.shows("00:05:30 paused", "5m30s")


async def test_the_table_of_pods(still_cluster: Cluster):
    await _fill(still_cluster)
    async with dashboard(still_cluster) as terminal:
        await _ready(terminal)
        await terminal.until(lambda: "5 " in terminal.title() + " ")
        terminal.is_like("pods")


async def test_a_command_that_is_being_typed(still_cluster: Cluster):
    await _fill(still_cluster)
    async with dashboard(still_cluster) as terminal:
        await _ready(terminal)
        await terminal.type(":s")
        await terminal.press("tab")
        await terminal.shows(":secrets")
        terminal.is_like("command")


async def test_a_filtered_and_sorted_table(still_cluster: Cluster):
    await _fill(still_cluster)
    async with dashboard(still_cluster) as terminal:
        await _ready(terminal)
        await terminal.type("/web")
        await terminal.press("enter", "s", "s")
        await terminal.shows("2 of 5", "by status")
        terminal.is_like("filtered")


async def test_a_description(still_cluster: Cluster):
    await _fill(still_cluster)
    async with dashboard(still_cluster) as terminal:
        await _ready(terminal)
        await terminal.type(":cm")
        await terminal.press("enter")
        await terminal.shows("settings")
        await terminal.press("d")
        await terminal.shows("describe configmap/settings", "Events:  <none>")
        terminal.is_like("describe")


async def test_the_question_before_a_delete(still_cluster: Cluster):
    await _fill(still_cluster)
    async with dashboard(still_cluster) as terminal:
        await _ready(terminal)
        await terminal.press("down", "ctrl+d")
        await terminal.shows("Delete pod cache-0 in default?")
        terminal.is_like("delete")


async def test_the_help(still_cluster: Cluster):
    async with dashboard(still_cluster, size=(80, 34)) as terminal:
        await terminal.shows("00:00:00 paused", "NAME")
        await terminal.press("question_mark")
        await terminal.shows("Keys", "Quit")
        terminal.is_like("help")
