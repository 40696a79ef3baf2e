"""`svcsim webhook serve FILE.py`: reviews that come at once are answered side by side, and none suffers from another."""

from concurrent.futures import ThreadPoolExecutor

from tests.cli.verbs.serving import Serving

MEETING = """
import threading
RESOURCES = "configmaps"
meeting = threading.Barrier(6)

def validate(request):
    if request["name"].startswith("meet"):
        meeting.wait()
"""
WAITING = """
import pathlib, time
RESOURCES = "configmaps"

def validate(request):
    kind = request["name"].partition("-")[0]
    if kind in ("wait", "hang"):
        pathlib.Path(kind).touch()
    if kind == "hang":
        time.sleep(2)
        pathlib.Path("late").touch()
    while kind == "hang" or (kind == "wait" and not pathlib.Path("go").exists()):
        time.sleep(0.01)
    return "of before" if kind == "tell" else True
"""
WRITING = """
import os, subprocess, sys
RESOURCES = "configmaps"

def validate(request):
    if request["name"].startswith("outer"):
        command = [sys.executable, "-P", "-m", "svcsim", "create", "configmap", request["name"].replace("outer", "inner")]
        done = subprocess.run(command, capture_output=True, text=True)
        return True if done.returncode == 0 else done.stderr
"""


def test_what_comes_at_once_is_answered_side_by_side(serving: Serving) -> None:
    """By one process, in which the functions can meet: what one notes in a variable the others see."""
    serving.write(MEETING)
    process = serving.begin("team.py")
    with ThreadPoolExecutor(6) as pool:
        answers = [pool.submit(serving.make, "meet") for _ in range(6)]
    assert [answer.result().status for answer in answers] == [201] * 6
    assert serving.end(process)[0].count(": allowed (") == 6


def test_one_that_hangs_keeps_no_other_waiting_and_takes_none_with_it(serving: Serving) -> None:
    serving.write(WAITING)
    serving.begin("team.py", "--timeout=4s")
    with ThreadPoolExecutor() as pool:
        hanging = pool.submit(serving.make, "hang")
        serving.until((serving.directory / "hang").exists)
        assert serving.make().status == 201
        serving.until((serving.directory / "late").exists)
        waiting = pool.submit(serving.make, "wait")
        assert "team.py took longer than 4 seconds" in hanging.result().message
        serving.write("", "go")
        assert waiting.result().status == 201
    assert serving.make().status == 201


def test_a_review_under_way_is_answered_by_the_file_as_it_was(serving: Serving) -> None:
    serving.write(WAITING)
    process = serving.begin("team.py", "--timeout=30s")
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(serving.make, "wait")
        serving.until((serving.directory / "wait").exists)
        serving.write(WAITING.replace("before", "after"))
        serving.until(lambda: serving.make("tell").message.endswith(": of after"))
        serving.write("", "go")
        assert waiting.result().status == 201
    assert ": failed: " not in serving.end(process)[0]


def test_a_function_may_write_what_it_is_asked_about_itself(serving: Serving) -> None:
    serving.write(WRITING)
    serving.begin("team.py")
    assert serving.make("outer").status == 201


def test_a_function_that_was_not_called_is_not_blamed(serving: Serving) -> None:
    """One that keeps Python to itself keeps others from being called."""
    serving.write(
        """
        import pathlib, re
        RESOURCES = "configmaps"
        def validate(request):
            if request["name"].startswith("busy"):
                pathlib.Path("busy").touch()
                re.match("(a+)+$", "a" * 60 + "b")
        """
    )
    serving.begin("team.py", "--timeout=3s")
    with ThreadPoolExecutor() as pool:
        busy = pool.submit(serving.make, "busy")
        serving.until((serving.directory / "busy").exists)
        assert "team.py was kept busy by another review for 3 seconds" in serving.make().message
        assert "team.py took longer than 3 seconds" in busy.result().message
    assert serving.make().status == 201


def test_what_takes_too_long_to_load_is_told_as_that(serving: Serving) -> None:
    serving.write(MEETING)
    serving.begin("team.py", "--timeout=2s")
    serving.write(MEETING + "import time\ntime.sleep(1234)\n")
    serving.until(lambda: "team.py was not loaded within 2 seconds" in str(serving.make().json.get("message")))
    serving.write(MEETING)
    serving.until(lambda: serving.make().status == 201)
