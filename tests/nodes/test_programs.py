"""What a command line is taken to mean."""

import pytest

from svcsim.nodes.containers.programs import FOREVER, read_program
from svcsim.nodes.containers.understanding import read_first
from svcsim.nodes.shell.programs.agnhost import AGNHOST
from svcsim.nodes.shell.programs.shells import PROGRAMS, SHELLS
from tests.living import living, name, phase, pod

ENDS = {
    ("sleep", "30"): (30.05, 0),
    ("sleep", "1.5m"): (90.05, 0),
    ("true",): (0.1, 0),
    ("false",): (0.05, 1),
    ("echo", "done"): (0.05, 0),
    ("sh", "-c", "exit 3"): (0.05, 3),
    ("/bin/sh", "-c", "echo one; sleep 2 && echo two; exit 1"): (2.05, 1),
    ("/bin/bash", "-ec", "sleep 1\nfalse"): (1.05, 1),
    ("sh", "-c", "false && sleep 9; false || exit 4"): (0.05, 4),
    ("sh", "-c", "true || exit 1; sleep 1"): (1.1, 0),
    ("sh", "-c", "exit -1"): (0.05, 2),
    ("sh", "-c", "exit x"): (0.05, 2),
    ("sh", "-c", "false; exit $?"): (0.05, 1),
    ("/bin/sh", "-ec", "false; true"): (0.05, 1),
    ("/bin/sh", "-c", "false; true"): (0.1, 0),
    ("sh", "-e", "-c", "false || true; false && true; sleep 1"): (1.1, 0),
    ("bash", "-euo", "pipefail", "-c", "true && false; sleep 9"): (0.1, 1),
    ("sh", "-c", "set -ex\nfalse\nsleep 9"): (0.1, 1),
    ("sh", "-ec", "set +e; false; true"): (0.15, 0),
    ("sleep", "x"): (0.05, 1),
    ("sleep",): (0.05, 1),
    ("sh", "-c", "sleep x || sleep 2"): (2.05, 0),
    ("perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"): (5.05, 0),
    ("/usr/local/bin/bash", "-c", "sleep 2; exit 5"): (2.05, 5),
    ("sh", "-c", "A=b; B='c d' sleep 1; exit 3"): (1.05, 3),
    ("sh", "-c", "f() { if true; then { exit 3; }; fi; }; sleep 2"): (2.05, 0),
    ("sh", "-c", "cat <<'E-O F' > /tmp/c\nexit 1\nE-O F\nsleep 1"): (1.1, 0),
    ("sh", "-c", "cat <<E > /tmp/c; sleep 1\nexit 1\nF=done"): (1.1, 0),
    ("sh", "-c", "{ sleep 2; false; } || exit 7"): (2.05, 7),
    ("sh", "-c", "(sleep 1; exit 3); exit $?"): (1.05, 3),
    ("sh", "-ec", "! true; ! false; sleep 1; (exit 4); sleep 9"): (1.1, 4),
    ("sh", "-c", "sleep 2& wait"): (2.05, 0),
    ("sh", "-c", "sleep 5; (sleep 1; true) & wait"): (6.1, 0),
    ("sh", "-c", "sleep 3 | cat; false | true"): (3.1, 0),
    ("sh", "-c", "true | false"): (0.1, 1),
    ("sh", "-c", "echo a | psql -h db"): (0.05, 0),
    ("sh", "-c", "exec 2>&1; exec sleep 1; sleep 9"): (1.05, 0),
    ("sh", "-c", "sleep 1 \\\n  && sleep .5 # or so; sleep 9"): (1.55, 0),
    ("bash", "-c", "[[ -f /a && ! -e '/b;c' ]] && ((1 + 1)) && sleep 1"): (1.15, 0),
    ("sh", "-c", "while true; do sleep 2; exit 6; done"): (2.1, 6),
}


@pytest.mark.parametrize(("command", "expected"), ENDS.items(), ids=[" ".join(command) for command in ENDS])
def test_a_command_that_plainly_ends_ends_as_it_would(command, expected):
    program = read_program("busybox", command, ())
    assert (program.runs_s, program.exit_code) == (pytest.approx(expected[0]), expected[1])


@pytest.mark.parametrize(
    "command",
    [
        ("nginx", "-g", "daemon off;"),
        ("sleep", "infinity"),
        ("sh", "-c", "exec my-server"),
        ("sh", "script.sh"),
        ("sh", "-c", "while read x; do :; done"),
        ("sh", "-c", "server() { sleep 1; }; server"),
        ("sh", "-c", "sleep 5; if"),
        ("sh", "-c", "'sleep 1'"),
        ("nice",) * 3_000,
        ("sh", "-c", ": x; " * 50_000),
    ],
    ids=lambda command: " ".join(command)[:80],
)
def test_what_is_not_understood_runs_for_ever(command):
    assert read_program("app", command, ()).runs_s is None


def test_arguments_count_like_a_command():
    assert read_program("busybox", (), ("sleep", "3")).runs_s == pytest.approx(3.05)


def test_without_a_command_it_is_the_image_that_says():
    assert read_program("nginx", (), ()) is FOREVER
    assert read_program("hello-world:latest", (), ()).runs_s is not None


def test_it_prints_what_it_echoes_when_it_does():
    program = read_program("busybox", ("sh", "-c", "echo one; sleep 2; echo -n two; date"), ())
    assert program.lines == ((0.0, "one"), (2.0, "two"), (2.0, "$(date)"))


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        ("echo rc=$?; echo one", ["one"]),
        ("echo $HOME ${X:-a}; echo `uname`; echo $(hostname); echo $((1 + 1)); echo $1 $@", []),
        ('echo "it is $(date)"; echo "$(date) $(id)"; echo 5$', ["it is $(date)", "5$"]),
        ("printf 'a\\nb\\n'; printf '%s\\n' a; printf \"$X\\n\"", ["a", "b"]),
        ("echo a | nc -w 1 there 80; echo 'b | c'", ["b | c"]),
        ("cat > /f <<EOF\necho no\nEOF\necho yes; cat <<A <<-'B'\nexit 1\nA\n\tB\necho end", ["yes", "end"]),
        ("echo 'a << b'\necho c", ["a << b", "c"]),
        ("echo '$HOME' \\$5 \"a;b\"; echo it is `date`", ["$HOME $5 a;b", "it is $(date)"]),
        ("echo '$(GREETING)'; echo $GREETING; echo b; echo c &> /dev/null; echo d;echo e", ["b", "d", "e"]),
        ("{ echo a; echo b; } > /tmp/f; (echo c); date | tee /tmp/f; date | wc -l", ["c", "$(date)"]),
        ("if true; then echo a; fi; echo b", []),
    ],
)
def test_what_only_a_shell_would_know_is_left_out(script: str, lines: list[str]):
    program = read_program("busybox", ("sh", "-c", script), ())
    assert [line for _, line in program.lines] == lines
    assert program.exit_code == 0


def test_what_no_shell_sees_says_itself():
    program = read_program("busybox", ("echo", "$HOME", ">", "/tmp/f", "$(date)"), ())
    assert [line for _, line in program.lines] == ["$HOME > /tmp/f $(date)"]
    assert read_program("busybox", ("echo", "$(GREETING)"), ()).lines == ()


def test_what_is_given_a_time_ends_by_then():
    for command, (runs_s, code) in {
        "timeout 5 serve": (5.05, 124),
        "timeout -s KILL 9 sleep 3": (3.05, 0),
        "nohup sleep 2": (2.05, 0),
        "timeout 5 sh -c 'exit 3'": (0.1, 3),
        "timeout 5 bash -c 'sleep 9'": (5.05, 124),
        "timeout 1 sleep 5 || true": (1.1, 0),
    }.items():
        program = read_program("busybox", ("sh", "-c", f"{command}"), ())
        assert (program.runs_s, program.exit_code) == (pytest.approx(runs_s), code)
        assert program.slept_s <= runs_s
    assert read_program("busybox", ("nohup", "serve"), ()) == FOREVER._replace(unknown=True)


def test_an_endless_loop_says_its_lines_again_and_again():
    program = read_program("busybox", ("sh", "-c", "while true; do echo tick; sleep 5; done"), ())
    assert program.runs_s is None
    assert program.lines == ((0.0, "tick"),)
    assert program.repeats_s == pytest.approx(5.05)


@pytest.mark.parametrize(
    ("script", "lines", "repeats_s"),
    [
        ("while true; do echo 'done'; sleep 5; done", ["done"], 5.05),
        ("while :\ndo\n echo a # done\n sleep 1\ndone; echo never", ["a"], 1.05),
        ("trap 'exit 0' TERM; while sleep 5; do date; done", ["$(date)"], 5.1),
        ("while true; do { echo a; sleep 1; }; done", ["a"], 1.05),
        ("while true; do date; sleep 1; done > /var/log/all", [], 1.1),
        ("while true; do for i in 1 2; do echo $i; done; sleep 1; done", [], None),
        ("echo start; while true; do echo a; sleep 1; done", ["start"], None),
        ("while true; do while true; do echo a; done; done", [], None),
    ],
)
def test_a_loop_goes_on_as_it_is_written(script: str, lines: list[str], repeats_s: float | None):
    program = read_program("busybox", ("sh", "-c", script), ())
    assert (program.runs_s, program.unknown, [line for _, line in program.lines]) == (None, False, lines)
    assert program.repeats_s == (pytest.approx(repeats_s) if repeats_s else None)


def test_what_is_written_to_a_file_is_not_printed_and_makes_the_file():
    program = read_program("busybox", ("sh", "-c", "echo ok > /tmp/a; sleep 2; rm -f /tmp/a; echo bye >>/dev/stderr"), ())
    assert program.lines == ()
    assert [(round(at), path, there) for at, path, there in program.files] == [(0, "/tmp/a", True), (2, "/tmp/a", False)]


def test_every_command_that_containers_have_comes_to_an_end_as_a_first_process():
    commands = set(PROGRAMS) - set(SHELLS) - set(AGNHOST)  # which serves, too
    endless = [name for name in sorted(commands) if read_program("busybox", (name,), ()).runs_s is None]
    assert endless == []


def test_a_file_that_is_followed_is_followed_for_ever():
    assert read_program("busybox", ("tail", "-f", "/dev/null"), ()).runs_s is None
    assert read_program("busybox", ("sh", "-c", "touch a; tail -F a"), ()).runs_s is None


@pytest.mark.parametrize(
    ("command", "may_serve"),
    [
        (("python", "app.py"), True),
        (("python3", "-m", "http.server", "8080"), True),
        (("sh", "-c", "cat > /tmp/s.py <<EOF\nimport http.server\nEOF\nexec python3 /tmp/s.py"), True),
        (("sh", "-c", "npm install && npm start"), True),
        (("npm", "run", "dev"), True),
        (("perl", "server.pl"), True),
        (("git", "daemon", "--reuseaddr"), True),
        (("sh", "-c", "python app.py; exit $?"), True),
        (("python", "-c", "print(1)"), False),
        (("python3", "-m", "pip", "install", "x"), False),
        (("npm", "ci"), False),
        (("git", "clone", "https://example.com/x"), False),
        (("sh", "-c", "python app.py; echo done"), False),
    ],
)
def test_a_program_of_somebodys_own_may_be_a_server(command: tuple[str, ...], may_serve: bool):
    program = read_program("python:3", command, ())
    assert (program.runs_s is not None, program.may_serve) == (True, may_serve)


@pytest.mark.parametrize(
    ("script", "ends"),
    [
        ("nc -lk -p 8080 -e cat", False),
        ("cat /dev/zero > /dev/null", False),
        ("dd if=/dev/zero of=/dev/null", False),
        ("md5sum /dev/urandom", False),
        ("dd if=/dev/zero of=/tmp/x bs=1k count=3", True),
        ("nc -z web 80", True),
        ("cat /dev/urandom | head -c 8", True),
    ],
)
def test_what_listens_or_reads_without_an_end_goes_on(script: str, ends: bool):
    assert (read_program("busybox", ("sh", "-c", script), ()).runs_s is not None) is ends
    if not ends:
        assert read_first("busybox", ("sh", "-c", script), ()) is None


@pytest.mark.parametrize(
    "script",
    [
        "PW=$(tr -dc A-Za-z0-9 </dev/urandom | head -c 16); echo ${#PW}",
        "head -c 32 /dev/urandom | base64",
        "cat /dev/urandom | tr -dc a-z | head -c 8",
        "[ -c /dev/zero ] && ls -l /dev/urandom",
        "timeout 5 head -c 8 < /dev/random; echo x > /dev/full",
    ],
)
def test_what_takes_some_of_what_has_no_end_is_run(script: str):
    assert read_first("busybox", ("sh", "-c", script), ()) is not None


@pytest.mark.virtual_time
async def test_what_may_be_a_server_goes_on_where_it_would_be_started_again():
    async with living() as cluster:
        made = await cluster.run_pod(pod("serves", image="python:3", command=["python", "app.py"]))
        await cluster.pods.create(pod("works", image="python:3", command=["python", "migrate.py"], restartPolicy="OnFailure"))
        await cluster.sleep(60)
        assert (await cluster.pods.get(name(made)))["status"]["containerStatuses"][0]["restartCount"] == 0
        assert phase(await cluster.pods.get("serves")) == "Running"
        assert phase(await cluster.pods.get("works")) == "Succeeded"


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("command", "ends"),
    [
        (["/app/migrate", "up"], True),
        (["sh", "/scripts/init.sh"], True),
        (["sh", "-c", "until /app/ready; do sleep 2; done"], True),
        (["sh", "-c", "sleep 5; flyway migrate"], True),
        (["sleep", "infinity"], False),
        (["sh", "-c", "while true; do /app/work; sleep 1; done"], False),
        (["tail", "-f", "/dev/null"], False),
        (["sh", "-c", "while true; do /app/ready && break; sleep 2; done"], True),
        (["env", "A=b", "nohup", "/app/migrate"], True),
        (["sh", "-c", "/app/check > /dev/null || true; sleep 5"], True),
        (["sh", "-c", "echo start; while true; do /app/work 'done'; sleep 1; done"], False),
    ],
)
async def test_an_init_container_of_which_nobody_knows_what_it_does_ends(command: list[str], ends: bool):
    async with living(nodes=1) as cluster:
        await cluster.pods.create(pod("web", initContainers=[{"name": "init", "image": "example/app:1", "command": command}]))
        await cluster.sleep(30)
        assert (phase(await cluster.pods.get("web")) == "Running") is ends


@pytest.mark.parametrize(
    "script",
    [
        '[ -z "$DB" ] && { echo "DB is not set"; exit 1; }; exec serve',
        '[[ -z "${X}" ]] && exit 1; exec serve',
        "(( ${#X} > 3 )) && exit 3; exec serve",
        "V=$(serve version); [ $? -ne 0 ] && { echo none; exit 1; }; exec serve",
        "! test -f /data/broken || exit 0; exec serve",
        "[ -f /x ] && echo there && exit 1; serve",
        "( set -e; pip install x; exit 4 ); exec serve",
        "set -e; false & pip install x; exec serve",
        "sh -c 'test -f /x' && exit 1; serve",
    ],
)
def test_what_a_check_finds_is_not_known_and_taken_for_the_best(script: str):
    assert read_program("shop/app", ("bash", "-c", script), ()).unknown, "as what it goes on to, which nobody knows"


@pytest.mark.parametrize(
    "script",
    [
        "! test -f /tmp/draining",
        "! [ -e /x ] && exit 0",
        "! grep -q maintenance /tmp/state",
        "! curl http://db | grep -q DOWN",
        "[ -f /tmp/bad ] && { echo bad; exit 1; }; exit 0",
        'R=$(serve status); [ "$R" = bad ] && exit 1; exit 0',
        "[ -f /x ] && exit 1 || exit 0",
    ],
)
def test_a_probe_that_checks_something_is_taken_to_succeed(script: str):
    program = read_program("shop/app", ("bash", "-c", script), ())
    assert (program.unknown, program.exit_code, program.runs_s is not None) == (False, 0, True)


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("set -e; pip install x; { false; } || true; exit 3", 3),
        ("pip install a && pip install b & pip install c; exit 3", 3),
        ("pip install x | tee /l & sleep 7; exit 3", 3),
        ("echo start; (sleep 5; pip install x) & true; exit 3", 3),
        ("pip install x && exit 2; exit 5", 2),
        ("true && exit 2; exit 5", 2),
    ],
)
def test_what_is_known_of_how_a_script_ends(script: str, code: int):
    program = read_program("shop/app", ("bash", "-c", script), ())
    assert (program.runs_s is not None, program.exit_code) == (True, code)


def test_a_long_comment_keeps_no_script_from_being_read():
    program = read_program("shop/app", ("sh", "-c", f"#{'x' * 9_000}\necho hi; exit 3"), ())
    assert (program.exit_code, [line for _, line in program.lines]) == (3, ["hi"])


def test_a_function_may_be_called_as_a_program_is():
    assert read_first("debian:12", ("sh", "-c", "curl() { echo $1; }; curl --anything"), ()) is not None


def test_programs_that_start_one_another_are_read_only_so_far():
    assert read_first("busybox", ("nice",) * 10, ()) is not None
    assert read_first("busybox", ("nice",) * 1_600, ()) is None
