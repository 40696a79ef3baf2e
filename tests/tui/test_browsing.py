"""The dashboard by its keys: tables that live, and the ways between them."""

from svcsim.cluster.cluster import Cluster
from tests.tui.terminal import config_map, create, dashboard, deployment, pod

NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}


async def test_the_first_table_shows_pods_and_follows_them(cluster: Cluster):
    client = cluster.client("test")
    await create(client, pod("web-1"))
    async with dashboard(cluster) as terminal:
        await terminal.shows("pods in default", "web-1", "● connected")
        await create(client, pod("web-2"))
        await terminal.until(lambda: "1/1" in terminal.row("web-2") and "Running" in terminal.row("web-2"))
        await client.resource("v1", "pods", "default").delete("web-1", grace_period_s=0)
        await terminal.hides("web-1")


async def test_a_command_goes_to_any_type_by_its_short_name_and_back(cluster: Cluster):
    await create(cluster.client("test"), config_map("settings"))
    async with dashboard(cluster) as terminal:
        await terminal.type(":cm")
        await terminal.press("enter")
        await terminal.shows("configmaps in default", "settings", "DATA")
        await terminal.press("q")
        await terminal.shows("pods in default")


async def test_a_tab_completes_what_is_typed(cluster: Cluster):
    async with dashboard(cluster) as terminal:
        await terminal.until(lambda: len(terminal.app._backend.types.all) > 3 and terminal.app._backend.namespaces)
        await terminal.type(":dep")
        await terminal.shows("deployments")
        await terminal.press("tab", "enter")
        await terminal.shows("deployments in default")


async def test_a_word_that_is_no_type_is_told_with_what_may_have_been_meant(cluster: Cluster):
    async with dashboard(cluster) as terminal:
        await terminal.type(":deploymnt")
        await terminal.press("enter")
        await terminal.shows('no type "deploymnt"', "did you mean")
        assert "pods in default" in terminal.title()


async def test_a_command_may_name_the_namespace(cluster: Cluster):
    await create(cluster.client("test"), NAMESPACE, config_map("prices", "shop"))
    async with dashboard(cluster) as terminal:
        await terminal.type(":cm shop")
        await terminal.press("enter")
        await terminal.shows("configmaps in shop", "prices")


async def test_a_namespace_is_chosen_or_all_of_them(cluster: Cluster):
    client = cluster.client("test")
    await create(client, NAMESPACE, config_map("prices", "shop"), config_map("settings"))
    async with dashboard(cluster) as terminal:
        await terminal.type(":cm")
        await terminal.press("enter")
        await terminal.shows("settings")
        await terminal.press("n")
        await terminal.shows("namespace:")
        await terminal.type("shop")
        await terminal.press("enter")
        await terminal.shows("configmaps in shop", "prices")
        await terminal.hides("settings")
        await terminal.press("0")
        await terminal.shows("in all namespaces", "NAMESPACE", "prices", "settings")


async def test_a_namespace_that_does_not_exist_is_told_and_leads_nowhere(cluster: Cluster):
    async with dashboard(cluster) as terminal:
        await terminal.press("n")
        await terminal.type("shpo")
        await terminal.press("enter")
        await terminal.shows('there is no namespace "shpo"')
        await terminal.type(":cm shpo")
        await terminal.press("enter")
        await terminal.until(lambda: "\n".join(terminal.lines()).count('there is no namespace "shpo"') == 2)
        assert "pods in default" in terminal.title()


async def test_enter_takes_the_only_thing_that_can_be_meant(cluster: Cluster):
    await create(cluster.client("test"), NAMESPACE)
    async with dashboard(cluster) as terminal:
        await terminal.until(lambda: len(terminal.app._backend.types.all) > 3 and "shop" in terminal.app._backend.namespaces)
        await terminal.press("n")
        await terminal.type("sh")
        await terminal.press("enter")
        await terminal.shows("pods in shop")
        await terminal.type(":depl")
        await terminal.press("enter")
        await terminal.shows("deployments in shop")
        await terminal.type(":cm def")
        await terminal.press("enter")
        await terminal.shows("configmaps in default")


async def test_a_command_may_say_which_objects_are_wanted(cluster: Cluster):
    await create(cluster.client("test"), pod("web-1", app="web"), pod("shop-1", app="shop"))
    async with dashboard(cluster) as terminal:
        await terminal.shows("web-1", "shop-1")
        for command in (":po app=web", ":po -l app=web"):
            await terminal.type(command)
            await terminal.press("enter")
            await terminal.shows("pods of app=web in default", "web-1")
            await terminal.hides("shop-1")
            await terminal.press("q")
            await terminal.shows("shop-1")
        await terminal.type(":po /shop")
        await terminal.press("enter")
        await terminal.shows("1 of 2 · /shop", "shop-1")
        await terminal.hides("web-1")


async def test_a_command_that_makes_no_sense_is_refused_with_a_word(cluster: Cluster):
    async with dashboard(cluster) as terminal:
        await terminal.type(":po --field-selector x")
        await terminal.press("enter")
        await terminal.shows('there is no flag "--field-selector"', "-l LABELS")
        assert "pods in default" in terminal.title()


async def test_keys_that_come_in_one_burst_are_typed_and_not_acted_on(cluster: Cluster):
    await create(cluster.client("test"), pod("web-1"), pod("shop-1"))
    async with dashboard(cluster) as terminal:
        await terminal.shows("web-1")
        await terminal.burst(":deploy\n")
        await terminal.shows("deployments in default")
        await terminal.press("q")
        await terminal.shows("web-1")
        await terminal.burst("/web")
        await terminal.shows("1 of 2")
        await terminal.press("escape")
        await terminal.burst("nall\n")
        await terminal.shows("pods in all namespaces")


async def test_what_begins_to_ask_is_a_letter_like_others_while_something_is_typed(cluster: Cluster):
    async with dashboard(cluster) as terminal:
        await terminal.type("/n:a/n")
        await terminal.until(lambda: terminal.lines()[-2].strip().startswith("/n:a/n") or "/n:a/n" in terminal.title())


async def test_a_pasted_command_waits_for_enter(cluster: Cluster):
    async with dashboard(cluster) as terminal:
        await terminal.paste(":deploy")
        await terminal.press("enter")
        await terminal.shows("deployments in default")
        await terminal.paste("/web")
        await terminal.shows("/web")
        assert "deployments in default" in terminal.title()


async def test_a_filter_that_nothing_has_says_so(cluster: Cluster):
    await create(cluster.client("test"), pod("web-1"))
    async with dashboard(cluster) as terminal:
        await terminal.shows("web-1")
        await terminal.type("/nobody")
        await terminal.shows("none of 1 pods has /nobody")
        await terminal.press("enter", "escape")
        await terminal.shows("web-1")


async def test_the_bottom_line_and_the_titles_can_be_clicked(cluster: Cluster):
    await create(cluster.client("test"), pod("b"), pod("a"))
    async with dashboard(cluster) as terminal:
        await terminal.shows("NAME↑")
        await terminal.click("STATUS")
        await terminal.shows("STATUS↑")
        await terminal.click("STATUS")
        await terminal.shows("STATUS↓")
        await terminal.click("NAME")
        await terminal.shows("NAME↑")
        await terminal.click("describe")
        await terminal.shows("describe pod/a")
        await terminal.click("back")
        await terminal.shows("pods in default")


async def test_all_columns_are_whole_and_can_be_reached(cluster: Cluster):
    await create(cluster.client("test"), pod("a-pod-with-a-rather-long-name-that-leaves-others-no-room"))
    async with dashboard(cluster, size=(80, 24)) as terminal:
        await terminal.until(lambda: "Running" in terminal.row("a-pod"))
        await terminal.press("w")
        await terminal.shows("a-pod-with-a-rather-long-name-that-leaves-others-no-room", "← → for more")
        await terminal.press(*["right"] * 15)
        await terminal.shows("READINESS GATES", "NOMINATED NODE")
        assert "…" not in "\n".join(terminal.lines()[2:-1])


async def test_the_filter_narrows_while_it_is_typed_and_escape_drops_it(cluster: Cluster):
    await create(cluster.client("test"), *(config_map(f"web-{i}") for i in range(3)), config_map("settings"))
    async with dashboard(cluster) as terminal:
        await terminal.type(":cm")
        await terminal.press("enter")
        await terminal.shows("web-0", "settings")
        await terminal.type("/web")
        await terminal.shows("3 of ", "/web")
        await terminal.hides("settings")
        await terminal.press("enter", "escape")
        await terminal.shows("settings")


async def test_enter_on_a_deployment_shows_its_pods_and_nothing_else(cluster: Cluster):
    await create(cluster.client("test"), deployment("shop", 2), pod("alone"))
    async with dashboard(cluster) as terminal:
        await terminal.shows("alone")
        await terminal.type(":deploy")
        await terminal.press("enter")
        await terminal.until(lambda: "2/2" in terminal.row("shop"))
        await terminal.press("enter")
        await terminal.shows("pods of deployment/shop in default", "shop-")
        await terminal.hides("alone")
        await terminal.press("q", "q")
        await terminal.shows("alone")


async def test_enter_on_a_node_shows_the_pods_on_it(cluster: Cluster):
    await create(cluster.client("test"), pod("web-1"))
    async with dashboard(cluster) as terminal:
        await terminal.until(lambda: "Running" in terminal.row("web-1"))
        await terminal.type(":no")
        await terminal.press("enter")
        await terminal.shows("nodes", "Ready")
        await terminal.press("enter")
        await terminal.shows("pods of node/", "web-1")


async def test_sorting_goes_from_column_to_column_and_turns_round(cluster: Cluster):
    await create(cluster.client("test"), {**config_map("b"), "data": {}}, config_map("c"), {**config_map("a"), "data": {"x": "", "y": ""}})
    async with dashboard(cluster) as terminal:
        await terminal.type(":cm")
        await terminal.press("enter")
        await terminal.until(lambda: len([line for line in terminal.lines()[3:-1] if line]) == 3)

        def order() -> str:
            return "".join(line.split()[0] for line in terminal.lines()[3:-1] if line)

        assert order() == "abc"
        await terminal.press("s")
        assert order() == "bca"
        assert "by data" in terminal.title()
        await terminal.press("S")
        assert order() == "acb"


async def test_the_chosen_row_stays_chosen_while_others_come(cluster: Cluster):
    client = cluster.client("test")
    await create(client, config_map("m"))
    async with dashboard(cluster) as terminal:
        await terminal.type(":cm")
        await terminal.press("enter")
        await terminal.shows("m")
        await terminal.press("end")
        await create(client, config_map("a"), config_map("b"))
        await terminal.shows(" a ", " b ")
        await terminal.press("y")
        await terminal.shows("yaml configmap/m")


async def test_all_columns_are_shown_where_asked_for(cluster: Cluster):
    await create(cluster.client("test"), pod("web-1"))
    async with dashboard(cluster, size=(140, 30)) as terminal:
        await terminal.shows("web-1")
        await terminal.press("w")
        await terminal.shows("NODE", "IP")
        await terminal.press("w")
        await terminal.hides("NODE")


async def test_a_question_mark_tells_all_keys(cluster: Cluster):
    async with dashboard(cluster) as terminal:
        await terminal.press("question_mark")
        await terminal.shows("Keys", "Describe the object")
        await terminal.press("escape")
        await terminal.hides("Keys")


async def test_q_leaves_the_first_table_and_the_program(cluster: Cluster):
    async with dashboard(cluster) as terminal:
        await terminal.press("q")
        await terminal.until(lambda: not terminal.app.is_running)
    assert terminal.app.return_code == 0


async def test_control_c_quits_from_anywhere(cluster: Cluster):
    async with dashboard(cluster) as terminal:
        await terminal.type(":dep")
        await terminal.press("ctrl+c")
        await terminal.until(lambda: not terminal.app.is_running)
    assert terminal.app.return_code == 0
