"""What the dashboard shows of one object, and does to it."""

from svcsim.cluster.cluster import Cluster
from tests.tui.terminal import Terminal, config_map, create, dashboard, deployment, pod


async def choose_settings(terminal: Terminal) -> None:
    """Go to the config map of that name."""
    await terminal.type(":cm")
    await terminal.press("enter")
    await terminal.type("/settings")
    await terminal.press("enter")
    await terminal.shows("settings  1")


async def test_a_description_has_the_parts_and_the_events_and_follows_them(cluster: Cluster):
    client = cluster.client("test")
    await create(client, pod("web-1"))
    async with dashboard(cluster, size=(120, 100)) as terminal:
        await terminal.shows("web-1")
        await terminal.press("d")
        await terminal.shows("describe pod/web-1", "Labels:", "app=web-1", "QoS Class:", "Events:", "Scheduled", "Started")
        await client.resource("v1", "pods", "default").patch("web-1", {"metadata": {"labels": {"tier": "front"}}})
        await terminal.shows("tier=front")


async def test_a_description_is_the_command_lines_and_keeps_what_is_secret(cluster: Cluster):
    client = cluster.client("test")
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "door"}, "data": {"password": "aHVudGVyMg=="}}
    await client.resource("v1", "secrets", "default").create(secret)
    async with dashboard(cluster) as terminal:
        await terminal.type(":secrets")
        await terminal.press("enter")
        await terminal.shows("door")
        await terminal.press("d")
        await terminal.shows("describe secret/door", "Type:  Opaque", "password:  7 bytes")
        assert not terminal.row("aHVudGVyMg")


async def test_a_description_asks_for_what_belongs_to_the_object(cluster: Cluster):
    client = cluster.client("test")
    await create(client, deployment("shop", 1))
    async with dashboard(cluster, size=(100, 60)) as terminal:
        await terminal.type(":deploy")
        await terminal.press("enter")
        await terminal.until(lambda: "1/1" in terminal.row("shop"))
        await terminal.press("d")
        await terminal.shows("1 desired | 1 updated", "NewReplicaSet:", "(1/1 replicas created)", "ScalingReplicaSet")


async def test_a_description_stays_when_the_object_goes(cluster: Cluster):
    client = cluster.client("test")
    await create(client, config_map("settings"))
    async with dashboard(cluster) as terminal:
        await choose_settings(terminal)
        await terminal.press("d")
        await terminal.shows("greeting:", "hello")
        await client.resource("v1", "configmaps", "default").delete("settings")
        await terminal.shows("it was deleted", "greeting:")


async def test_the_yaml_is_the_object_without_managed_fields_until_asked_for(cluster: Cluster):
    client = cluster.client("test")
    await client.resource("v1", "pods", "default").create(pod("web-1"))
    async with dashboard(cluster, size=(100, 200)) as terminal:
        await terminal.shows("web-1")
        await terminal.press("y")
        await terminal.shows("yaml pod/web-1", "kind: Pod", "image: nginx:1.27")
        await terminal.hides("managedFields")


async def test_a_text_is_filtered_by_lines(cluster: Cluster):
    await create(cluster.client("test"), pod("web-1"))
    async with dashboard(cluster) as terminal:
        await terminal.shows("web-1")
        await terminal.press("y")
        await terminal.shows("apiVersion: v1")
        await terminal.type("/image")
        await terminal.shows("image: nginx")
        await terminal.hides("apiVersion: v1")
        await terminal.press("enter", "q")
        await terminal.shows("apiVersion: v1")


async def test_an_object_that_goes_while_it_is_read_is_told_to_be_gone(cluster: Cluster):
    client = cluster.client("test")
    await create(client, config_map("settings"))
    async with dashboard(cluster) as terminal:
        await choose_settings(terminal)
        await terminal.press("y")
        await terminal.shows("greeting: hello")
        await client.resource("v1", "configmaps", "default").delete("settings")
        await terminal.shows("it was deleted", "greeting: hello")


async def test_logs_are_followed(cluster: Cluster):
    await create(cluster.client("test"), pod("web-1"))
    async with dashboard(cluster) as terminal:
        await terminal.until(lambda: "Running" in terminal.row("web-1"))
        await terminal.press("l")
        await terminal.shows("logs pod/web-1 (main)", "following")
        await terminal.until(lambda: len(terminal.lines()[2]) > 1)
        first = "\n".join(terminal.lines()[2:])
        await terminal.until(lambda: "\n".join(terminal.lines()[2:]) != first)


async def test_events_are_a_table_of_their_own_with_the_latest_first(cluster: Cluster):
    await create(cluster.client("test"), pod("web-1"), pod("web-2"))
    async with dashboard(cluster, size=(120, 30)) as terminal:
        await terminal.until(lambda: "Running" in terminal.row("web-1"))
        await terminal.press("e")
        await terminal.shows("events of pod/web-1 in default", "Scheduled", "Started", "by last seen")
        await terminal.hides("pod/web-2")


async def test_a_delete_asks_and_leaves_things_alone_unless_told_yes(cluster: Cluster):
    client = cluster.client("test")
    await create(client, pod("web-1"))
    async with dashboard(cluster) as terminal:
        await terminal.until(lambda: "Running" in terminal.row("web-1"))
        await terminal.press("ctrl+d")
        await terminal.shows("Delete pod web-1 in default?")
        await terminal.press("n")
        await terminal.hides("Delete pod")
        await terminal.press("ctrl+d")
        await terminal.shows("n or enter cancel")
        await terminal.press("enter")
        await terminal.hides("Delete pod")
        await terminal.shows("nothing was deleted")
        assert not (await client.resource("v1", "pods", "default").get("web-1"))["metadata"].get("deletionTimestamp")
        await terminal.press("delete")
        await terminal.shows("Delete pod web-1 in default?")
        await terminal.press("y")
        await terminal.shows("web-1 is being deleted")
        await terminal.until(lambda: not terminal.row("1/1"))


async def test_what_the_server_refuses_is_told(cluster: Cluster):
    client = cluster.client("test")
    await create(client, config_map("settings"))
    async with dashboard(cluster) as terminal:
        await choose_settings(terminal)
        await terminal.press("ctrl+d")
        await terminal.shows("Delete configmap settings")
        await client.resource("v1", "configmaps", "default").delete("settings")
        await terminal.press("y")
        await terminal.shows('configmaps "settings" not found')


async def test_logs_of_what_has_none_are_refused_with_a_hint(cluster: Cluster):
    await create(cluster.client("test"), config_map("settings"))
    async with dashboard(cluster) as terminal:
        await terminal.type(":cm")
        await terminal.press("enter")
        await terminal.shows("settings")
        await terminal.press("l")
        await terminal.shows("only pods have logs")
