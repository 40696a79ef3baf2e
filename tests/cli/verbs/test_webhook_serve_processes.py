"""`svcsim webhook serve`: the process in which a file answers, whatever the file does with it."""

import pytest

from tests.cli.verbs.serving import Serving

FORKS = """
import os, sys

RESOURCES = "configmaps"

def child():
    {child}

def validate(request):
    if request["name"].startswith("fork") and os.fork() == 0:
        child()
    return f"no {{request['name']}}" if request["name"].startswith("deny") else True
"""


@pytest.mark.parametrize("child", ["pass", "sys.exit(0)", "os._exit(0)", "raise ValueError", "os.fork()", "sys.exit('gone')"])
def test_a_process_that_a_handler_forks_answers_nothing(serving: Serving, child: str) -> None:
    """Whether it ends, fails, or goes on as if it were the one that was asked."""
    serving.write(FORKS.format(child=child))
    process = serving.begin("team.py")
    for prefix in ("fork", "fine"):
        assert serving.make(prefix).status == 201
    for _ in range(3):
        assert ": no deny-" in str(serving.make("deny").message)
        assert serving.make("fork").status == 201
    out, err = serving.end(process)
    assert "failed" not in out
    assert ("Traceback" in err) is (child == "raise ValueError")


@pytest.mark.parametrize("child", ["pass", "sys.exit(0)"])
def test_a_process_that_a_file_forks_as_it_is_loaded_says_nothing(serving: Serving, child: str) -> None:
    serving.write(FORKS.format(child=child) + "\nif os.fork() == 0:\n    child()\n")
    process = serving.begin("team.py")
    for _ in range(3):
        assert ": no deny-" in str(serving.make("deny").message)
        assert serving.make("fine").status == 201
    assert "failed" not in serving.end(process)[0]
