"""Programs that start others, by their long options, too: beside the real ones, it was the same."""

import pytest

from tests.nodes.shell.container import Container


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("timeout --signal=KILL 0.1 sleep 2; echo $?; timeout --signal TERM --kill-after=1 0.1 sleep 2; echo $?", "137\n124\n"),
        ("timeout --preserve-status -k 5s 0.1 sleep 2; echo $?; timeout -v 0.1 sleep 2 2>&1; echo $?",
         "143\ntimeout: sending signal TERM to command 'sleep'\n124\n"),
        ("timeout --foreground -- 5 echo -n a; echo", "a\n"),
        ("seq 3 | xargs --max-args=2 echo -n x; echo; printf 'a b,c,' | xargs --delimiter=, -n 1 echo; printf 'a\\0b' | xargs --null echo",
         "x 1 2x 3\na b\nc\na b\n"),
        ("seq 3 | xargs --max-procs 4 -n1 --verbose echo 2>&1 | head -n 2", "echo 1\n1\n"),
        ("echo | xargs --no-run-if-empty echo no; seq 4 | xargs --max-lines=2", "1 2\n3 4\n"),
        ("seq 2 > f; echo in | xargs -a f cat - 2>/dev/null; echo in | xargs --arg-file=f sh -c 'cat; echo $0'", "in\nin\n1\n"),
        ("seq 2 | xargs --replace echo '<{}>'", "<1>\n<2>\n"),
        ("seq 5 | xargs -s 11 echo; printf 'a b\\0c' | xargs -0 -I@ echo '<@>'; seq 2 | xargs -P0 -I{} echo {}-{}",
         "1 2 3\n4 5\n<a b>\n<c>\n1-1\n2-2\n"),
        ("nice -n5 echo a; nice -5 echo b; nice --adjustment=3 -- echo c; nohup -- echo d", "a\nb\nc\nd\n"),
    ],
)  # fmt: skip
async def test_what_they_start(script: str, says: str):
    code, out, err = await Container().sh(f"cd $(mktemp -d); {script}")
    assert (out, code, err) == (says, 0, "")


@pytest.mark.parametrize(
    ("script", "complains"),
    [
        ("timeout --signals=9 1 true", "timeout: unrecognized option '--signals'\n"),
        ("timeout -k x 1 true", "timeout: invalid number 'x'\n"),
        ("timeout -s NO 1 true", "timeout: invalid signal 'NO'\n"),
        ("xargs --max-arg=1 echo", "xargs: unrecognized option '--max-arg'\n"),
        ("xargs -p echo", "xargs: invalid option -- 'p'\n"),
        ("echo aaaaaaaaaa | xargs -s 9 echo", "xargs: argument line too long\n"),
        ("nohup -x echo", "nohup: invalid option -- 'x'\n"),
    ],
)
async def test_what_they_refuse(script: str, complains: str):
    assert await Container().sh(script) == (1, "", complains)
