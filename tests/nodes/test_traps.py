"""What containers do that say themselves what they make of being asked to end (``trap``), or end by themselves meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from svcsim.meta.http import Request
from svcsim.meta.times import parse_time
from svcsim.meta.types import Json, Object
from tests.living import Living, is_ready, living, name, phase
from tests.nodes.test_processes import ONCE, ended, exit_code, log, of_containers, read_all, script
from tests.nodes.test_streams import sh

KEPT: Object = {"finalizers": ["example.com/look"]}
"""Of a pod that can be looked at once it has ended."""
LOOP = "while true; do sleep 1; done"
NO_JOB = "sh: kill: %7: no such job\n"


def gone(pid: int) -> str:
    return f"kill: can't kill pid {pid}: No such process\n"


@asynccontextmanager
async def stopped(*containers: Object, grace_s: int = 30, **spec: Json) -> AsyncIterator[tuple[Living, Object, float]]:
    """The pod once it has ended that was deleted when it was ready, and how long that took."""
    async with living(nodes=1) as cluster:
        made = of_containers(*containers, terminationGracePeriodSeconds=grace_s, **spec)
        made["metadata"] |= KEPT
        await cluster.pods.create(made)
        await cluster.until(lambda pods: all(map(is_ready, pods)), 60)
        began = cluster.cluster.clock.now()
        await cluster.pods.delete("web")
        await cluster.until(lambda pods: all("terminated" in one["state"] for one in statuses(pods[0])), grace_s + 60)
        yield cluster, await cluster.pods.get("web"), cluster.cluster.clock.now() - began


def statuses(pod: Object) -> list[Object]:
    found: list[Object] = [*pod["status"].get("initContainerStatuses", []), *pod["status"].get("containerStatuses", [])]
    return found


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("text", "grace_s", "took", "code", "said"),
    [
        (f"trap 'echo bye; exit 3' TERM; {LOOP}", 30, (0, 2), 3, "bye\n"),
        (f"trap 'echo stopping; sleep 5; echo stopped; exit 0' SIGTERM; {LOOP}", 30, (5, 7), 0, "stopping\nstopped\n"),
        (f"trap 'echo stopping; sleep 5; echo stopped; exit 0' SIGTERM; {LOOP}", 3, (3, 4), 137, "stopping\n"),
        ("trap '' TERM; sleep 1000", 8, (8, 9), 137, ""),
        (f"trap '' 15; {LOOP}", 8, (8, 9), 137, ""),
        ("trap 'echo bye; exit 0' TERM; sleep 1000", 6, (6, 7), 137, ""),  # which is done once the command has ended that runs
        (f"trap 'echo heard' TERM; {LOOP}", 5, (5, 6), 137, "heard\n"),
        (f"trap 'stop=1' TERM; while [ -z \"$stop\" ]; do sleep 1; done; echo out; exit 4", 30, (0, 2), 4, "out\n"),  # noqa: F541
        (f"trap 'echo once; trap - TERM' TERM; trap 'echo end' EXIT; {LOOP}", 4, (4, 5), 137, "once\n"),
        ("trap 'exit 5' TERM; i=0; while [ $i -lt 9000 ]; do i=$((i+1)); sleep 0.5; done", 30, (0, 2), 5, ""),
        (f"trap 'exit 6' TERM; trap 'echo end' EXIT; {LOOP}", 30, (0, 2), 6, "end\n"),
    ],
)
async def test_a_container_that_is_asked_to_end_does_what_it_was_told_to(
    text: str, grace_s: int, took: tuple[int, int], code: int, said: str
):
    async with stopped(script(text), grace_s=grace_s) as (cluster, pod, took_s):
        assert exit_code(pod) == code
        assert took[0] <= took_s <= took[1]
        assert await log(cluster, "web") == said


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("text", "signal", "code", "said"),
    [
        (f"trap 'echo usr1; exit 4' USR1; trap 'echo term; exit 5' TERM; {LOOP}", "SIGUSR1", 4, "usr1\n"),
        (f"trap 'echo term; exit 5' TERM; {LOOP}", "SIGINT", 130, ""),
        ("sleep 1000", "SIGQUIT", 131, ""),
        ("sleep 1000", "SIGRTMIN+3", 165, ""),
        (f"trap 'exit 5' TERM; {LOOP}", "SIGKILL", 137, ""),
        ("sleep 1000", "SIGWINCH", 137, ""),  # by which nobody is ended
        (f"trap 'echo seen; exit 6' WINCH; {LOOP}", "SIGWINCH", 6, "seen\n"),
    ],
)
async def test_a_container_is_asked_by_the_signal_that_it_names(text: str, signal: str, code: int, said: str):
    one = script(text, lifecycle={"stopSignal": signal})
    async with stopped(one, grace_s=8, os={"name": "linux"}, **ONCE) as (cluster, pod, _):
        assert (exit_code(pod), statuses(pod)[0]["stopSignal"]) == (code, signal)
        assert await log(cluster, "web") == said


@pytest.mark.virtual_time
async def test_the_hook_comes_first_and_takes_of_the_time():
    one = script(f"trap 'sleep 4; exit 0' TERM; {LOOP}", lifecycle={"preStop": {"exec": {"command": ["sleep", "5"]}}})
    async with stopped(one, grace_s=20) as (_, pod, took_s):
        assert (exit_code(pod), 9 <= took_s <= 11) == (0, True)
    async with stopped(one, grace_s=7) as (_, pod, took_s):
        assert (exit_code(pod), 7 <= took_s <= 8) == (137, True)


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    "hook", ["echo pre > /proc/1/fd/1; sleep 60", "touch /tmp/x; sleep 600", "while [ ! -f /tmp/none ]; do sleep 1; done"]
)
@pytest.mark.parametrize(
    ("text", "took", "code", "said"),
    [
        (f"trap 'echo term; exit 3' TERM; echo up; {LOOP}", (3, 5), 3, "term\n"),
        (f"trap '' TERM; {LOOP}", (5, 6), 137, ""),
        ("echo up; sleep 1000", (3, 6), 143, "up\n"),
    ],
)
async def test_a_hook_that_is_at_work_when_the_grace_period_is_over_is_cut_off(
    hook: str, text: str, took: tuple[int, int], code: int, said: str
):
    one = script(text, lifecycle={"preStop": {"exec": {"command": ["sh", "-c", hook]}}})
    async with stopped(one, grace_s=3, **ONCE) as (cluster, pod, took_s):
        assert (exit_code(pod), took[0] <= took_s <= took[1]) == (code, True), took_s
        assert said in await log(cluster, "web")
        assert "FailedPreStopHook" in await cluster.reasons("web")


@pytest.mark.virtual_time
@pytest.mark.parametrize("text", [f"trap 'exit 3' TERM; {LOOP}", "sleep 1000"])
async def test_so_is_that_of_a_container_that_a_probe_has_end(text: str):
    probe = {"exec": {"command": ["false"]}, "periodSeconds": 2, "failureThreshold": 1, "terminationGracePeriodSeconds": 4}
    hook = {"preStop": {"exec": {"command": ["sh", "-c", "touch /tmp/x; sleep 600"]}}}
    async with living(nodes=1) as cluster:
        await cluster.pods.create(of_containers(script(text, livenessProbe=probe, lifecycle=hook)))
        await cluster.until(lambda pods: any(one["restartCount"] == 1 for pod in pods for one in statuses(pod)), 60)
        (pod,) = (await cluster.pods.list())[0]
        assert 4 <= lasted_s(statuses(pod)[0]["lastState"]["terminated"]) <= 10


@pytest.mark.virtual_time
@pytest.mark.parametrize("hook", ["kill 1; sleep 12", "touch /tmp/x; kill -TERM 1; while kill -0 1; do sleep 1; done"])
async def test_a_hook_may_ask_its_container_to_end_itself(hook: str):
    one = script(f"trap 'echo term; exit 3' TERM; {LOOP}", lifecycle={"preStop": {"exec": {"command": ["sh", "-c", hook]}}})
    async with stopped(one, grace_s=15, **ONCE) as (cluster, pod, took_s):
        assert (exit_code(pod), took_s <= 4) == (3, True), took_s
        assert await log(cluster, "web") == "term\n"


def sleeping_hook(seconds: int) -> Object:
    return {"preStop": {"sleep": {"seconds": seconds}}}


def running_hook(seconds: int) -> Object:
    return {"preStop": {"exec": {"command": ["sleep", str(seconds)]}}}


@pytest.mark.virtual_time
@pytest.mark.parametrize("text", ["sleep 8; exit 3", "sleep 8; test -f /none || exit 3"])
@pytest.mark.parametrize(("hook", "went_after"), [(sleeping_hook(20), 20), (running_hook(20), 7)])
async def test_an_end_of_its_own_while_its_hook_is_at_work_is_its_own(text: str, hook: Object, went_after: int):
    async with stopped(script(text, lifecycle=hook), grace_s=30, **ONCE) as (cluster, pod, took_s):
        state = pod["status"]["containerStatuses"][0]["state"]["terminated"]
        assert (state["exitCode"], lasted_s(state), went_after <= took_s <= went_after + 2) == (3, 8, True)
        assert ("FailedPreStopHook" in await cluster.reasons("web")) is ("exec" in hook["preStop"])


@pytest.mark.virtual_time
async def test_an_end_that_is_known_beforehand_is_its_own_too():
    said = {"svcsim.dev/run-for": "6s", "svcsim.dev/exit-code": "7"}
    async with stopped(script(LOOP, lifecycle=sleeping_hook(20)), annotations=said, **ONCE) as (_, pod, _):
        state = pod["status"]["containerStatuses"][0]["state"]["terminated"]
        assert (state["exitCode"], lasted_s(state)) == (7, 6)


@pytest.mark.virtual_time
async def test_an_end_of_its_own_counts_when_a_probe_has_it_end():
    probe = {"exec": {"command": ["cat", "/tmp/well"]}, "periodSeconds": 2, "failureThreshold": 1}
    one = script("sleep 8; test -f /none || exit 3", livenessProbe=probe, lifecycle=sleeping_hook(20))
    async with living(nodes=1) as cluster:
        await cluster.pods.create(of_containers(one))
        await cluster.until(lambda pods: any(one["restartCount"] == 1 for pod in pods for one in statuses(pod)), 60)
        (pod,) = (await cluster.pods.list())[0]
        state = statuses(pod)[0]["lastState"]["terminated"]
        assert (state["exitCode"], lasted_s(state)) == (3, 8)


def lasted_s(terminated: Object) -> float:
    return parse_time(terminated["finishedAt"]) - parse_time(terminated["startedAt"])


@pytest.mark.virtual_time
async def test_sidecars_are_asked_when_the_containers_beside_them_have_ended():
    beside = script(f"trap 'echo asked; exit 0' TERM; {LOOP}", "beside", restartPolicy="Always")
    main = script(f"trap 'sleep 6; exit 0' TERM; {LOOP}")
    async with stopped(main, grace_s=30, initContainers=[beside]) as (_, pod, took_s):
        ends = {one["name"]: one["state"]["terminated"] for one in statuses(pod)}
        assert {name: one["exitCode"] for name, one in ends.items()} == {"main": 0, "beside": 0}
        assert ends["main"]["finishedAt"] <= ends["beside"]["finishedAt"]
        assert 6 <= took_s <= 10


@pytest.mark.virtual_time
@pytest.mark.parametrize(("text", "code"), [(f"trap '' TERM; {LOOP}", 137), (f"trap 'exit 9' TERM; {LOOP}", 9)])
async def test_a_probe_that_fails_has_it_asked_to_end(text: str, code: int):
    probe = {"exec": {"command": ["cat", "/tmp/well"]}, "periodSeconds": 2, "failureThreshold": 1}
    one = script(f"touch /tmp/well; sleep 5; rm /tmp/well; {text}", livenessProbe=probe)
    async with living(nodes=1) as cluster:
        await cluster.pods.create(of_containers(one, terminationGracePeriodSeconds=4))
        await cluster.until(
            lambda pods: any(statuses(pod)[0]["restartCount"] == 1 for pod in pods if pod["status"].get("containerStatuses")), 60
        )
        (pod,) = (await cluster.pods.list())[0]
        assert statuses(pod)[0]["lastState"]["terminated"]["exitCode"] == code


@pytest.mark.virtual_time
async def test_what_a_probe_has_ended_is_not_done_however_it_ends():
    probe = {"exec": {"command": ["cat", "/tmp/well"]}, "periodSeconds": 2, "failureThreshold": 1}
    one = script("touch /tmp/well; sleep 5; rm /tmp/well; trap 'exit 0' TERM; sleep 1000 & wait", livenessProbe=probe)
    async with living(nodes=1) as cluster:
        await cluster.pods.create(of_containers(one, restartPolicy="OnFailure"))
        await cluster.until(lambda pods: any(one["restartCount"] == 1 for pod in pods for one in statuses(pod)), 60)
        (pod,) = (await cluster.pods.list())[0]
        assert (phase(pod), statuses(pod)[0]["lastState"]["terminated"]["exitCode"]) == ("Running", 0)


@pytest.mark.virtual_time
@pytest.mark.parametrize("policy", ["Never", "OnFailure", "Always"])
@pytest.mark.parametrize("text", [LOOP, f"trap 'exit 0' TERM; {LOOP}", f"trap 'exit 5' TERM; {LOOP}"])
async def test_another_image_has_it_started_anew_whatever_its_policy(policy: str, text: str):
    async with living(nodes=1) as cluster:
        made = await cluster.run_pod(of_containers(script(text), restartPolicy=policy))
        made["spec"]["containers"][0]["image"] = "alpine:3"
        await cluster.pods.update(made)
        await cluster.until(lambda pods: is_ready(pods[0]) and statuses(pods[0])[0]["restartCount"] == 1)


@pytest.mark.virtual_time
async def test_it_is_the_same_when_somebody_in_the_container_asks():
    async with living(nodes=1) as cluster:
        text = f"trap 'n=$((n+1)); echo heard $n; [ $n = 3 ] && exit 8' TERM; {LOOP}"
        await cluster.run_pod(of_containers(script(text), **ONCE))
        for n in (1, 2):
            await sh(cluster, "web", "kill 1")
            await cluster.sleep(3)
            assert (await log(cluster, "web")).splitlines()[-1] == f"heard {n}"
        await cluster.pods.delete("web")
        await cluster.sleep(3)
        assert not (await cluster.pods.list())[0]
        await cluster.run_pod(of_containers(script(f"trap 'exit 8' TERM; {LOOP}"), pod_name="other", **ONCE))
        await sh(cluster, "other", "kill 1")
        await cluster.until(lambda pods: phase(pods[0]) == "Failed")
        assert exit_code(await cluster.pods.get("other")) == 8


@pytest.mark.virtual_time
@pytest.mark.parametrize("signal", ["HUP", "INT", "QUIT", "USR1", "WINCH"])
async def test_each_signal_has_its_own(signal: str):
    async with living(nodes=1) as cluster:
        await cluster.run_pod(of_containers(script(f"trap 'echo got {signal}' {signal}; trap 'exit 6' TERM; {LOOP}"), **ONCE))
        await sh(cluster, "web", f"kill -{signal} 1")
        await cluster.sleep(3)
        assert await log(cluster, "web") == f"got {signal}\n"
        await sh(cluster, "web", "kill -s TERM 1")
        await cluster.until(lambda pods: phase(pods[0]) == "Failed")
        assert exit_code(await cluster.pods.get("web")) == 6


@pytest.mark.virtual_time
async def test_a_hook_may_have_it_quit():
    quits = {"preStop": {"exec": {"command": ["sh", "-c", "sleep 2; kill -QUIT 1; sleep 5"]}}}
    async with stopped(script(f"trap 'echo quit; exit 7' QUIT; {LOOP}", lifecycle=quits)) as (cluster, pod, took_s):
        assert (exit_code(pod), await log(cluster, "web"), 2 <= took_s <= 6) == (7, "quit\n", True)


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("text", "took", "said", "failed"),
    [
        ("i=0; while [ $i -lt 10 ]; do i=$((i+1)); sleep 1; done; echo $i > /proc/1/fd/1", (10, 12), "10\nterm\n", False),
        ("for i in 1 2 3; do echo hook $i > /proc/1/fd/1; sleep 1; done; exit 1", (3, 5), "hook 1\nhook 2\nhook 3\nterm\n", True),
        ("drain() { sleep 5; echo drained > /proc/1/fd/1; }; drain", (5, 7), "drained\nterm\n", False),
        ("while true; do sleep 1; done", (20, 23), "term\n", True),
        ("touch /tmp/go; until test -f /tmp/gone; do sleep 1; done", (2, 6), "gone\n", True),
    ],
)
async def test_a_hook_takes_as_long_as_it_does(text: str, took: tuple[int, int], said: str, failed: bool):
    main = "trap 'echo term; exit 0' TERM; while true; do sleep 1; test -f /tmp/go && sleep 2 && echo gone && exit 0; done"
    one = script(main, lifecycle={"preStop": {"exec": {"command": ["sh", "-c", text]}}})
    async with stopped(one, grace_s=20, **ONCE) as (cluster, pod, took_s):
        assert (await log(cluster, "web"), exit_code(pod)) == (said, 0)
        assert took[0] <= took_s <= took[1]
        assert ("FailedPreStopHook" in await cluster.reasons("web")) is failed


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("echo a; if false; then kill 5; fi; echo b", 0, "a\nb\n"),
        ("echo a; kill 5; echo b $?", 0, "a\nkill: can't kill pid 5: No such process\nb 1\n"),
        ("trap 'echo t; exit 3' TERM; echo x; kill 1; echo after", 3, "x\nt\n"),
        ("trap 'echo t; exit 3' TERM; echo x; kill -s TERM $$$$; echo after", 3, "x\nt\n"),
        ("f() { echo x; }; f; kill -9 $$$$; echo y", 0, "x\ny\n"),
        ("sleep 1000 & p=$!; kill $p; wait $p; echo rc $?", 0, "rc 143\n"),
        ("sleep 3 & p=$!; i=0; while kill -0 $p 2>/dev/null; do i=$((i+1)); sleep 1; done; echo waited $i", 0, "waited 3\n"),
        ("sleep 50 & p=$!; kill -0 $p && echo alive; kill $p; wait $p; echo $?; kill -s 0 $p", 1, f"alive\n143\n{gone(8)}"),
        ('sleep 9 & (kill -0 $!; echo $?); [ -z "$(kill -0 $!)" ] && kill -0 $! | cat', 0, "0\n"),
        ("sleep 9 & export P=$!; sh -c 'kill -9 $P'; wait $P; echo $?", 0, "137\n"),
        ("kill -0 1; echo $?; kill -0 $$$$; echo $?; kill -0 99; echo $?", 0, f"0\n0\n{gone(99)}1\n"),
        ("sh -c 'echo in $$$$'; echo out $$$$; exec sh -c 'echo $$$$'", 0, "in 8\nout 1\n1\n"),
        ("sh -c 'kill -TERM $$$$; echo no'; echo $?; sh -c 'kill -9 $$$$; echo no'; echo $?", 0, "143\n137\n"),
        ("sh -c 'trap \"echo t\" TERM; (kill $$$$; echo in); kill 1; echo on'; echo $?", 0, "in\nt\non\n0\n"),
        ("trap 'echo t; exit 3' TERM; sh -c 'kill 1; echo on'; echo after", 3, "on\nt\n"),
        ("sleep 5 & kill -9 %1; wait %1; echo $?; sleep 6 & kill -CONT %%; wait %1; echo $?; kill %7; echo $?", 0, f"137\n0\n{NO_JOB}2\n"),
        (
            "kill -l > /tmp/l; grep -c . /tmp/l; head -n 2 /tmp/l; kill -l 137 TERM 9; echo $?",
            0,
            "33\n 1) HUP\n 2) INT\nKILL\n15\nKILL\n0\n",
        ),
    ],
)
async def test_a_script_may_kill_what_is_its_own_and_signal_itself(text: str, code: int, said: str):
    async with living(nodes=1) as cluster:
        assert exit_code(await ended(cluster, of_containers(script(text), **ONCE))) == code
        assert await log(cluster, "web") == said


@pytest.mark.virtual_time
@pytest.mark.parametrize("text", ["ends() { kill; }; ends", "if true; then sleep 3; kill; fi"])
async def test_a_container_goes_on_whose_script_is_not_understood_after_all(text: str):
    async with living(nodes=1) as cluster:
        await cluster.run_pod(of_containers(script(text), **ONCE))
        await cluster.sleep(20)
        assert phase(await cluster.pods.get("web")) == "Running"


@pytest.mark.virtual_time
async def test_who_follows_the_log_reads_the_last_words():
    async with living(nodes=1) as cluster:
        for number in range(12):
            pod_name = f"p{number}"
            text = "echo up; trap 'echo term; exit 0' TERM; sleep 1000 & wait"
            await cluster.run_pod(of_containers(script(text), pod_name=pod_name, **ONCE))
            asked = Request("GET", f"/api/v1/namespaces/default/pods/{pod_name}/log", "follow=true")
            response = await cluster.client.transport.call(asked)
            assert response.stream is not None
            reading = asyncio.create_task(read_all(response.stream))
            await cluster.sleep(0.1 * number)
            await cluster.pods.delete(pod_name)
            assert await reading == b"up\nterm\n"


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('tmp=/tmp/x; touch $tmp; trap "echo bye; rm -f $tmp" EXIT; ls $tmp', "/tmp/x\nbye\n"),
        ("{ echo a; echo b; } | wc -l; (echo c; echo d) | tail -n 1", "2\nd\n"),
        ("eval 'echo hi'; exec 2>&1; echo there >&2", "hi\nthere\n"),
    ],
)
async def test_what_the_shell_knows_is_run(text: str, said: str):
    async with living(nodes=1) as cluster:
        await ended(cluster, of_containers(script(text), **ONCE))
        assert await log(cluster, "web") == said


@pytest.mark.virtual_time
async def test_a_sooner_end_counts():
    async with living(nodes=1) as cluster:
        made = of_containers(script(f"trap '' TERM; {LOOP}"), terminationGracePeriodSeconds=600)
        await cluster.pods.create(made)
        await cluster.until(lambda pods: all(map(is_ready, pods)), 60)
        await cluster.pods.delete("web")
        await cluster.sleep(20)
        assert [name(one) for one in (await cluster.pods.list())[0]] == ["web"]
        await cluster.pods.delete("web", grace_period_s=5)
        await cluster.sleep(7)
        assert not (await cluster.pods.list())[0]


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("trap 'echo end' EXIT; echo begin; exit 4", 4, "begin\nend\n"),
        ("trap 'echo end; exit 7' 0; echo begin", 7, "begin\nend\n"),
        ("trap 'echo end' EXIT; trap - EXIT; echo begin", 0, "begin\n"),
        ("trap 'echo end' EXIT; (echo inner); exec echo other", 0, "inner\nother\n"),
        ("trap 'echo it' TERM; trap", 0, "trap -- 'echo it' TERM\n"),
        ("trap 'echo it' NONE; echo $?", 0, "sh: trap: NONE: invalid signal specification\n1\n"),
    ],
)
async def test_a_trap_is_for_the_end_of_the_shell_too(text: str, code: int, said: str):
    async with living(nodes=1) as cluster:
        assert exit_code(await ended(cluster, of_containers(script(text), **ONCE))) == code
        assert await log(cluster, "web") == said
