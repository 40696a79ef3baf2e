"""Logs of containers that never ran."""

import pytest

from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Object
from svcsim.nodes.connecting.connections import Connections
from svcsim.nodes.containers.behaviour import Behaviour
from svcsim.nodes.containers.programs import FOREVER, read_program
from svcsim.nodes.logs.log_lines import Voice
from svcsim.nodes.logs.logs import read_options
from tests.living import living, pod
from tests.virtual import START_S

STARTED = START_S


def voice(image="nginx:1.29", program=FOREVER, ends_at=None, uid="uid-1"):
    return Voice(uid, "web", "main", image, program, STARTED, ends_at)


def test_a_log_is_the_same_whenever_and_however_it_is_read():
    whole = list(voice().lines(STARTED, STARTED + 600))
    assert len(whole) > 100
    assert whole == sorted(whole, key=lambda line: line.at)
    assert [line for at in range(0, 600, 7) for line in voice().lines(STARTED + at, min(STARTED + at + 7, STARTED + 600))] == whole
    assert voice().last_lines(25, STARTED + 600) == whole[-25:]
    assert voice().last_lines(10_000, STARTED + 600) == whole
    assert list(voice(uid="uid-2").lines(STARTED, STARTED + 600)) != whole


def test_web_servers_write_access_logs_and_others_structured_lines():
    assert '"GET /' in voice().last_lines(1, STARTED + 600)[0].text
    assert " level=" in voice("app:1").last_lines(1, STARTED + 600)[0].text


def test_what_is_to_end_says_until_then_what_it_would_have_said():
    whole = list(voice().lines(STARTED, STARTED + 30))
    crashing = Behaviour(crash_after_s=30.0).changed(FOREVER)
    assert list(voice(program=crashing, ends_at=STARTED + 30).lines(STARTED, STARTED + 600)) == whole
    ends = Behaviour(run_for_s=3.0).changed(read_program("busybox", ("sh", "-c", "sleep 60"), ()))
    assert list(voice(program=ends, ends_at=STARTED + 3).lines(STARTED, STARTED + 600)) == []


def test_a_script_says_what_it_echoes():
    script = read_program("busybox", ("sh", "-c", "echo one; sleep 7; echo two"), ())
    lines = voice("busybox", script, ends_at=STARTED + 8).last_lines(10, STARTED + 600)
    assert [(line.at - STARTED, line.text) for line in lines] == [(0, "one"), (7, "two")]


def test_a_loop_repeats_itself_with_the_time_of_each_turn():
    loop = read_program("busybox", ("sh", "-c", "while true; do date; sleep 9.95; done"), ())
    texts = [line.text for line in voice("busybox", loop).lines(STARTED, STARTED + 25)]
    assert texts == ["Thu Jan  1 00:00:00 UTC 2026", "Thu Jan  1 00:00:10 UTC 2026", "Thu Jan  1 00:00:20 UTC 2026"]


def test_nothing_is_said_after_the_end():
    assert voice(ends_at=STARTED + 20).last_lines(1, STARTED + 600)[0].at <= STARTED + 20
    assert list(voice(ends_at=STARTED + 20).lines(STARTED + 30, STARTED + 600)) == []


@pytest.mark.parametrize(
    ("asked", "code", "why"),
    [
        ({"tailLines": -1}, 422, 'PodLogOptions "web" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0'),
        ({"limitBytes": 0}, 422, 'PodLogOptions "web" is invalid: limitBytes: Invalid value: 0: must be greater than 0'),
        ({"sinceSeconds": 0}, 422, 'PodLogOptions "web" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0'),
        ({"sinceSeconds": 0, "sinceTime": "2026-01-01T00:00:00Z"}, 422, '"web" is invalid: : Forbidden: at most one of'),
        ({"sinceTime": "yesterday"}, 400, "cannot parse"),
    ],
)
def test_options_that_make_no_sense_are_refused(asked, code, why):
    with pytest.raises(StatusError) as refused:
        read_options(asked, STARTED, "web")
    assert refused.value.code == code
    assert why in refused.value.message


def logs_of(cluster):
    return Connections(cluster.client, cluster.cluster.clock, cluster.cluster.nodes.reach).logs


async def lines_of(cluster, name, **asked):
    response = await logs_of(cluster).serve_log("default", name, asked)
    return response.body.decode().splitlines()


@pytest.mark.virtual_time
async def test_tail_since_limit_and_timestamps():
    async with living() as cluster:
        await cluster.run_pod(pod("web"))
        await cluster.sleep(120)
        whole = await lines_of(cluster, "web")
        assert len(whole) > 20
        assert await lines_of(cluster, "web", tailLines=5) == whole[-5:]
        assert await lines_of(cluster, "web", tailLines=0) == []
        recent = await lines_of(cluster, "web", sinceSeconds=30)
        assert 0 < len(recent) < len(whole)
        assert recent == whole[-len(recent) :]
        assert "\n".join(whole).startswith("\n".join(await lines_of(cluster, "web", limitBytes=40)))
        assert (await lines_of(cluster, "web", timestamps=True))[-1].startswith("2026-01-01T00:0")


@pytest.mark.virtual_time
async def test_a_followed_log_goes_on_until_the_pod_is_gone():
    async with living() as cluster:
        await cluster.run_pod(pod("web"))
        response = await logs_of(cluster).serve_log("default", "web", {"follow": True, "tailLines": 1})
        assert response.stream is not None
        pieces = [await anext(response.stream) for _ in range(10)]
        await cluster.pods.delete("web")
        pieces += [piece async for piece in response.stream]
        assert len(pieces) >= 10
        assert len(pieces) == len(dict.fromkeys(pieces))


@pytest.mark.virtual_time
async def test_the_run_before_a_restart_is_the_previous_one():
    async with living() as cluster:
        await cluster.pods.create(pod("loop", image="busybox:1", command=["sh", "-c", "echo hello; sleep 2; exit 1"]))
        await cluster.sleep(20)
        assert await lines_of(cluster, "loop", previous=True) == ["hello"]
        await cluster.run_pod(pod("web"))
        with pytest.raises(StatusError, match='previous terminated container "main" in pod "web" not found'):
            await lines_of(cluster, "web", previous=True)


@pytest.mark.virtual_time
async def test_what_has_no_log_says_so_in_known_words():
    async with living() as cluster:
        two = pod("two")
        two["spec"]["containers"] = [{"name": name, "image": "nginx:1"} for name in ("a", "b")]
        await cluster.pods.create(two)
        await cluster.sleep(0.1)
        expected = {
            (): "a container name must be specified for pod two, choose one of: [a b]",
            ("a",): 'container "a" in pod "two" is waiting to start: ContainerCreating',
            ("c",): "container c is not valid for pod two",
        }
        for container, message in expected.items():
            with pytest.raises(StatusError) as refused:
                await lines_of(cluster, "two", **({"container": container[0]} if container else {}))
            assert (refused.value.code, refused.value.message) == (400, message)
        with pytest.raises(StatusError, match='pods "nobody" not found'):
            await lines_of(cluster, "nobody")


@pytest.mark.virtual_time
async def test_logs_come_through_the_api():
    async with living() as cluster:
        script = "echo one; echo two"
        await cluster.pods.create(pod("job", image="busybox:1", command=["sh", "-c", script], restartPolicy="Never"))
        await cluster.sleep(20)

        async def ask(query: str) -> Response:
            return await cluster.client.transport.send(Request("GET", "/api/v1/namespaces/default/pods/job/log", query))

        for query, lines in (("", b"one\ntwo\n"), ("tailLines=1&follow=false", b"two\n"), ("limitBytes=3&tailLines=&other=x", b"one")):
            response = await ask(query)
            assert (response.status, response.body) == (200, lines)
        assert (await ask("timestamps")).body.startswith(b"2026-01-01T00:0"), "a flag is set by its name alone"
        for query, code, why in (
            ("tailLines=x", 400, b'parsing \\"x\\": invalid syntax'),
            ("limitBytes=0", 422, b'PodLogOptions \\"job\\" is invalid: limitBytes: Invalid value: 0: must be greater than 0'),
        ):
            response = await ask(query)
            assert response.status == code
            assert why in response.body


LINES = '{n} {pod}/{container} on {node} {pick:a|b} {int:5-5} {{x}}\n{"json": {n}}'
TEMPLATES = {"svcsim.dev/log-lines": LINES, "svcsim.dev/log-every": "4s"}


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("annotations", "prepared"),
    [(TEMPLATES, ["from-init"]), ({**TEMPLATES, "before.svcsim.dev/log-lines": "{container} {n}"}, [f"before {n}" for n in (1, 2, 3, 4)])],
)
async def test_what_annotations_have_all_containers_log_is_not_meant_for_init_containers(annotations: Object, prepared: list[str]):
    async with living() as cluster:
        talker = pod("talker", image="busybox:1", command=["sleep", "inf"])
        talker["metadata"]["annotations"] = annotations
        talker["spec"]["initContainers"] = [{"name": "before", "image": "busybox:1", "command": ["sh", "-c", "echo from-init; sleep 9"]}]
        await cluster.run_pod(talker)
        await cluster.sleep(10)
        assert await lines_of(cluster, "talker", container="before") == prepared
        assert len(await lines_of(cluster, "talker", container="main")) == 2


@pytest.mark.virtual_time
async def test_nothing_is_said_after_the_second_of_the_end():
    async with living() as cluster:
        talker = pod("talker", image="busybox:1", command=["sleep", "5"], restartPolicy="Never")
        talker["metadata"]["annotations"] = {"svcsim.dev/log-lines": "{n}", "svcsim.dev/log-every": "1s"}
        await cluster.run_pod(talker)
        await cluster.sleep(20)
        assert await lines_of(cluster, "talker") == ["1", "2", "3", "4", "5"]


@pytest.mark.virtual_time
async def test_annotations_say_what_is_logged_and_how_often():
    async with living() as cluster:
        talker = pod("talker", image="busybox:1", command=["sleep", "inf"])
        talker["metadata"]["annotations"] = TEMPLATES
        node = (await cluster.run_pod(talker))["spec"]["nodeName"]
        await cluster.sleep(41)
        lines = await lines_of(cluster, "talker")
        assert len(lines) in {10, 11}
        assert lines[0] in {f"1 talker/main on {node} {choice} 5 {{x}}" for choice in "ab"}
        assert lines[1] == '{"json": 2}'
        assert await lines_of(cluster, "talker", tailLines=3) == lines[-3:]
        assert await lines_of(cluster, "talker", sinceSeconds=9) == lines[-2:]
        assert await lines_of(cluster, "talker") == lines, "it is the same whenever it is read"


@pytest.mark.parametrize(
    ("annotations", "why"),
    [
        ({"svcsim.dev/log-lines": "{nope}"}, "annotation svcsim.dev/log-lines: {nope} is none of {time}, "),
        ({"svcsim.dev/log-lines": "{int:9-1}"}, "needs the least and the most"),
        ({"svcsim.dev/log-lines": "{pick:}"}, "{pick:} needs what to choose from, such as {pick:a|b}"),
        ({"svcsim.dev/log-lines": "{int:-5-5} {unclosed"}, "{unclosed isn't closed by a brace"),
        ({"svcsim.dev/log-lines": "{int:{pick:a|b}}"}, "{int: isn't closed by a brace"),
        ({"svcsim.dev/log-lines": " "}, "there is no line in it"),
        ({"svcsim.dev/log-every": "often"}, 'annotation svcsim.dev/log-every: "often" is no duration between 10ms and 24h'),
        ({"other.svcsim.dev/log-lines": "x"}, 'annotation other.svcsim.dev/log-lines: the pod has no container "other"'),
    ],
)
@pytest.mark.virtual_time
async def test_what_cant_be_read_of_them_is_told_on_the_pod(annotations, why):
    async with living() as cluster:
        talker = pod("talker")
        talker["metadata"]["annotations"] = annotations
        await cluster.run_pod(talker)
        told = [event for event in await cluster.events("talker") if event["reason"] == "InvalidAnnotation"]
        assert [event["type"] for event in told] == ["Warning"]
        assert why in told[0]["message"]
        await cluster.sleep(60)
        assert await lines_of(cluster, "talker"), "it says what it always would"


@pytest.mark.virtual_time
async def test_a_followed_log_has_all_lines_up_to_the_containers_end():
    async with living() as cluster:
        script = "echo one; sleep 30; echo two; sleep 5; echo three"
        await cluster.run_pod(pod("job", image="busybox:1", command=["sh", "-c", script], restartPolicy="Never"))
        before = cluster.cluster.clock.now()
        response = await logs_of(cluster).serve_log("default", "job", {"follow": True})
        assert response.stream is not None
        assert [piece async for piece in response.stream] == [b"one\n", b"two\n", b"three\n"]
        assert cluster.cluster.clock.now() - before < 60
        again = await logs_of(cluster).serve_log("default", "job", {"follow": True})
        assert again.stream is None, "there is nothing to wait for"


@pytest.mark.virtual_time
async def test_a_followed_log_goes_no_further_than_its_limit_and_its_reader():
    async with living() as cluster:
        await cluster.run_pod(pod("web"))
        response = await logs_of(cluster).serve_log("default", "web", {"follow": True, "limitBytes": 300})
        assert response.stream is not None
        assert len(b"".join([piece async for piece in response.stream])) == 300


def test_a_year_of_few_lines_is_read_at_once():
    script = read_program("busybox", ("sh", "-c", "echo one; sleep 7; echo two; sleep inf"), ())
    assert [line.text for line in voice("busybox", script).last_lines(10, STARTED + 365 * 86400)] == ["one", "two"]
