"""What a command line has run, and what follows from that: whom it asks, which files it changes, what it reads."""

import pytest

from svcsim.nodes.containers.awaiting import awaiting_input
from svcsim.nodes.containers.programs import read_program
from svcsim.nodes.containers.understanding import may_change_files, may_write, read_first


@pytest.mark.parametrize(
    ("script", "writes", "changes"),
    [
        ("echo hi; cat /tmp/f; ls | wc -l", False, False),
        ("echo hi > /tmp/f", True, True),
        ("echo hi >> /dev/stdout; echo hi >&2; ls 2> /dev/null", False, False),
        ("{ ls; } 2> /tmp/e", True, True),
        ("f() { ls; } > /tmp/f; f", True, True),
        ("touch /tmp/f; mkdir -p /tmp/d; rm /tmp/f", False, True),
        ("mktemp", False, True),
        ("echo 'a > b; rm c'; [ 2 \\> 1 ]; echo $((2 > 1))", False, False),
        ("echo cp mv tee", False, False),
        ("timeout 5 nice cp a b", True, True),
        ("exec env A=b mv a b", True, True),
        ("find / | xargs rm", False, True),
        ('X=$(date; echo "$(rm -r /tmp/d)")', False, True),
        ("if true; then for i in `ls > /tmp/f`; do echo $i; done; fi", True, True),
        ("trap 'rm /tmp/f; exit 0' TERM", False, True),
        ("eval 'tee /tmp/f'", True, True),
        ("sh -c 'bash -c \"ln a b\"'", False, True),
        ("dd if=/tmp/f bs=1 count=3", False, False),
        ("dd if=/dev/zero of=/tmp/f count=1", True, True),
        ("sort /tmp/f", False, False),
        ("sort -o /tmp/f /tmp/f", True, True),
        ("wget -qO- http://web; wget --spider web; wget -O /dev/null web", False, False),
        ("wget -q http://web/page", True, True),
        ("wget -O $F web", True, True),
        ("curl -s http://web; curl -o /dev/null web", False, False),
        ("curl -sO http://web/page", True, True),
    ],
)
def test_what_changes_files_is_found(script: str, writes: bool, changes: bool):
    words = ("sh", "-c", script)
    assert (may_write(words), may_change_files(words)) == (writes, changes)


def test_what_is_run_without_a_shell_changes_files_as_well():
    assert may_write(("cp", "a", "b"))
    assert not may_write(("echo", ">", "rm"))
    assert may_change_files(("timeout", "5", "rm", "a"))


@pytest.mark.parametrize(
    ("script", "asks"),
    [
        ("wget -qO- http://web", True),
        ("echo $(curl -s http://web)", True),
        ("trap 'curl -X POST http://web/bye' TERM; sleep 1", True),
        ("exec timeout 5 nc -z web 80", True),
        ("env A=b wget -q --spider web || exit 1", True),
        ("wget -qO- http://localhost:8080", False),
        ("echo curl http://web", False),
    ],
)
def test_whoever_asks_others_is_found(script: str, asks: bool):
    first = read_first("debian", ("sh", "-c", script), ())
    assert first is not None
    assert first.asks_others is asks


@pytest.mark.parametrize(
    ("command", "waits"),
    [
        ("cat", True),
        ("cat /etc/hostname", False),
        ("grep -v a", True),
        ("grep a /etc/hostname", False),
        ("tr a b", True),
        ("uniq -c", True),
        ("xargs -n1 echo", True),
        ("tee /tmp/f", True),
        ("ls", False),
    ],
)
def test_what_reads_its_input_waits_for_it(command: str, waits: bool):
    for words in (tuple(command.split()), ("sh", "-c", command)):
        assert awaiting_input("busybox", words, ()) == (words if waits else None)


@pytest.mark.parametrize(
    ("script", "ends"),
    [
        ("grep x /dev/zero", False),
        ("tr -d x < /dev/urandom", False),
        ("timeout 5 cat /dev/zero", True),
        ("nice cat /dev/zero", False),
        ("nice cat /dev/zero | head -c 3", True),
        ("ls -l /dev/zero; touch /dev/full; head -c 3 /dev/random", True),
    ],
)
def test_what_reads_what_has_no_end_goes_on(script: str, ends: bool):
    program = read_program("busybox", ("sh", "-c", script), ())
    assert (program.runs_s is not None, program.unknown) == (ends, False)


def test_env_starts_what_it_is_given():
    assert read_program("python:3", ("env", "A=b", "python", "app.py"), ()).may_serve
    assert read_program("busybox", ("env", "-u", "A", "B=c", "sleep", "3"), ()).slept_s == 3
    assert read_program("busybox", ("env",), ()).runs_s is not None
    assert read_first("busybox", ("env", "-u", "A", "B=c", "sleep", "3"), ()) is not None
    assert read_first("busybox", ("env", "--unknown", "sleep", "3"), ()) is None
    assert read_first("busybox", ("sh", "-c", "env sleep inf | cat"), ()) is None
    assert read_first("busybox", ("sh", "-c", "env - A=b env -0 | cat"), ()) is not None
