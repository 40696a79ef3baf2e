"""What a container leaves behind when it ends, as its status tells it."""

import re

import pytest

from svcsim.meta.types import Object
from svcsim.nodes.containers.programs import read_program
from svcsim.nodes.pods.process_ends import crash
from tests.living import living, pod
from tests.nodes.build import NOW, Life, container, pod_object, shell
from tests.nodes.test_resuming import resumed

FALL_BACK = {"terminationMessagePolicy": "FallbackToLogsOnError"}


def ended(script: str, **more: object) -> Object:
    """How a container ends with this script."""
    found: Object = Life(pod_object({**shell(script), **more}, restartPolicy="Never")).until(60).state()["state"]["terminated"]
    return found


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo bye > /dev/termination-log", "bye\n"),
        ("sleep 10 && echo Sleep expired > /dev/termination-log; exit 3", "Sleep expired\n"),
        ("echo -n bye >/dev/termination-log", "bye"),
        ("printf 'a\\nb' > /dev/termination-log", "a\nb"),
        ("echo a > /dev/termination-log; echo b >> /dev/termination-log", "a\nb\n"),
        ("echo a > /dev/termination-log; echo b > /dev/termination-log", "b\n"),
    ],
)
def test_what_is_written_into_its_file_is_told(script: str, message: str):
    assert ended(script)["message"] == message


def test_what_depends_on_the_time_is_as_it_was_then():
    assert re.fullmatch(r"Thu Jan  1 00:00:\d\d UTC 2026\n", ended("date > /dev/termination-log")["message"])


@pytest.mark.parametrize("script", ["echo bye > /tmp/other; exit 1", "echo bye", "exit 1"])
def test_where_nothing_is_written_nothing_is_told(script: str):
    assert "message" not in ended(script)


def test_another_file_may_be_named():
    assert ended("echo one > /tmp/why; echo two > /dev/termination-log", terminationMessagePath="/tmp/why")["message"] == "one\n"


def test_the_log_tells_where_it_may_and_something_went_wrong():
    assert ended("echo one; sleep 1; echo two >&2; exit 1", **FALL_BACK)["message"] == "one\ntwo\n"
    assert "message" not in ended("echo one; exit 0", **FALL_BACK)
    assert "message" not in ended("echo one; exit 1", terminationMessagePolicy="File")
    assert ended("echo one; echo two > /dev/termination-log; exit 1", **FALL_BACK)["message"] == "two\n"


def test_only_the_end_of_what_is_long_is_told():
    lines = "; ".join(f"echo line {number}" for number in range(100))
    assert ended(f"{lines}; exit 1", **FALL_BACK)["message"] == "".join(f"line {number}\n" for number in range(20, 100))
    assert ended(f"echo {'x' * 3000}end; exit 1", **FALL_BACK)["message"] == f"{'x' * 2044}end\n"
    assert ended(f"echo {'y' * 5000}end > /dev/termination-log")["message"] == f"{'y' * 4092}end\n"


def test_the_containers_of_a_pod_share_what_room_there_is():
    many = [{**shell(f"echo {'x' * 4000} > /dev/termination-log", f"c{number}")} for number in range(6)]
    life = Life(pod_object(*many, restartPolicy="Never")).until(60)
    assert [len(life.state(f"c{number}")["state"]["terminated"]["message"]) for number in range(6)] == [2048] * 6


def test_a_server_that_is_killed_leaves_its_log():
    life = Life(pod_object(container(**FALL_BACK))).until(30)
    crash(life.run, "", 137, NOW + 30)
    life.step(NOW + 30)
    assert "Configuration complete; ready for start up" in life.state()["state"]["terminated"]["message"]


def test_it_is_told_of_the_last_run_too_and_after_another_process_has_taken_over():
    life = Life(pod_object(shell("echo bye > /dev/termination-log; sleep 2; exit 1"))).until(8)
    assert life.state()["lastState"]["terminated"]["message"] == "bye\n"
    once = Life(pod_object(shell("echo bye > /dev/termination-log; exit 1"), container(), restartPolicy="Never")).until(20)
    assert resumed(once, 5).state("main")["state"]["terminated"]["message"] == "bye\n"


def test_one_that_is_deleted_tells_what_it_had_written_until_then():
    script = "echo early > /dev/termination-log; sleep 3600; echo late > /dev/termination-log"
    life = Life(pod_object(shell(script), restartPolicy="Never")).until(30)
    life.run.terminate(NOW + 30, 5)
    assert life.until(40).state()["state"]["terminated"]["message"] == "early\n"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo fatal >&2", ["fatal"]),
        ("echo fatal 1>&2", ["fatal"]),
        ("echo one 2>/dev/null", ["one"]),
        ("echo one 2> /tmp/errors two", ["one two"]),
        ("echo one >/tmp/all 2>&1", []),
    ],
)
def test_where_errors_go_is_no_word_of_a_command(script: str, said: list[str]):
    assert [line for _, line in read_program("busybox", ("sh", "-c", script), ()).lines] == said


@pytest.mark.virtual_time
async def test_messages_are_told_over_the_api():
    async with living(nodes=1) as cluster:
        failing = pod("web", command=["sh", "-c", "echo one; date; exit 1"], restartPolicy="Never")
        failing["spec"]["containers"][0] |= FALL_BACK
        await cluster.pods.create(failing)
        await cluster.sleep(10)
        (status,) = (await cluster.pods.get("web"))["status"]["containerStatuses"]
        assert status["state"]["terminated"]["message"].startswith("one\nThu Jan  1 ")
