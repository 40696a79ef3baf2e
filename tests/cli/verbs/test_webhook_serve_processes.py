"""`svcsim webhook serve`: the process in which a file answers, whatever the file does with it."""

import pytest

from tests.cli.verbs.serving import Serving, unquoted

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


NAMED_LIKE_STANDARD_MODULES = ("asyncio", "codecs", "enum", "importlib", "inspect", "json", "linecache", "queue", "random", "re")
NAMED_LIKE_STANDARD_MODULES += ("selectors", "signal", "string", "token", "tokenize", "traceback", "types", "typing", "svcsim")


@pytest.mark.parametrize("name", ["team.py", "json.py", "types.py"])
def test_files_named_like_modules_of_the_standard_library_are_in_nobodys_way(serving: Serving, name: str) -> None:
    """Neither beside the one that is served, nor where it is that one itself."""
    for other in NAMED_LIKE_STANDARD_MODULES:
        serving.write("raise RuntimeError('this is not the standard library')\n", f"{other}.py")
    serving.write(
        """
        import json
        RESOURCES = "configmaps"
        async def validate(request):
            if request["name"].startswith("bad"):
                raise ValueError(json.dumps({"why": "bad"}))
        """,
        name,
    )
    process = serving.begin(name)
    assert serving.make().status == 201
    assert f'{name}:6: ValueError: {{"why": "bad"}}' in unquoted(serving.make("bad"))
    assert "svcsim" not in serving.end(process)[1]


def test_a_command_that_is_killed_says_by_what(serving: Serving) -> None:
    process = serving.begin("--resources=configmaps", "--", "sh", "-c", "kill -9 $$")
    assert "sh was killed by SIGKILL" in serving.make().message
    assert ": failed: sh was killed by SIGKILL (" in serving.end(process)[0]


def test_what_is_no_file_of_python_is_told_by_its_name(serving: Serving) -> None:
    (serving.directory / "team.py").write_bytes(b"x = 1\0")
    said = serving.refused("team.py", "--resources=pods")
    assert "error: team.py: " in said
    assert said.endswith("Error: source code string cannot contain null bytes\n")
    (serving.directory / "dir.py").mkdir()
    assert serving.refused("dir.py").startswith('error: "dir.py" is a directory: ')
