"""Beginnings, ends and sizes of files, and parts of names: beside the real programs, it was the same."""

import pytest

from tests.nodes.shell.container import Container

_MADE = "cd $(mktemp -d); seq 3 > g; printf 'ab\\ncd' > f; "


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("printf '\\303\\251 x\\nab\\n' | wc -m; wc --lines f; wc -L f g; wc -cl g | tr -s ' '", "7\n1 f\n2 f\n1 g\n2 total\n 3 6 g\n"),
        ("wc -c f g nope 2>/dev/null; echo $?", "5 f\n6 g\n11 total\n1\n"),
        ("head -n1 -q f g; head -v -n1 g; head -c1 g; head -n -1 g; head -n 1k g | wc -l", "ab\n1\n==> g <==\n1\n11\n2\n3\n"),
        ("head -n1 f g", "==> f <==\nab\n\n==> g <==\n1\n"),
        ("tail -n +2 g; tail -q -n1 g f; tail --lines=1 -v g; tail -2 g; tail +3 g; tail -c 2 g", "2\n3\n3\ncd==> g <==\n3\n2\n3\n3\n3\n"),
        ("timeout 3 tail -n1 -f g; timeout 3 tail -1f g; timeout 2 tail --follow=name --retry nope 2>/dev/null; echo $?", "3\n3\n124\n"),
        ("echo a | tee --append g; tail -n1 g; echo b | tee -i nope/x g 2>/dev/null; echo $?; cat g", "a\na\nb\n1\nb\n"),
        ("basename -- -a/b; basename -a x/y z/w; basename -s .c a.c b.c; basename a.c .c; basename .c .c; basename a//; basename /",
         "b\ny\nw\na\nb\na\n.c\na\n/\n"),
        ("dirname -- -a/b; dirname a/b c; dirname /; dirname a//b; dirname a/; dirname //a; dirname -z x | tr '\\0' ,",
         "-a\na\n.\n/\na\n.\n/\n.,"),
        ("seq -s, 3; seq -w 8 10; seq 2 -1 0; seq -1 0; seq -s ' ' -w 1 2", "1,2,3\n08\n09\n10\n2\n1\n0\n-1\n0\n1 2\n"),
        ("env -i A=1 env; env -u A -- A=2 printenv A; A=3 printenv --null A | tr '\\0' ,", "A=1\n2\n3,"),
        ("env --chdir=/etc pwd; env - B=1 env -0 | tr '\\0' ,", "/etc\nB=1,"),
    ],
)  # fmt: skip
@pytest.mark.virtual_time
async def test_what_they_say(script: str, says: str):
    code, out, err = await Container().sh(f"{_MADE}{script}")
    assert (out, code, err) == (says, 0, "")


@pytest.mark.parametrize(
    ("script", "complains"),
    [
        ("wc -x f", "wc: invalid option -- 'x'\n"),
        ("head -z f", "head: invalid option -- 'z'\n"),
        ("head -n x f", "head: invalid number 'x'\n"),
        ("tail --pid=1 f", "tail: unrecognized option '--pid'\n"),
        ("tee -p f", "tee: invalid option -- 'p'\n"),
        ("basename a b c", "basename: extra operand 'c'\n"),
        ("basename", "basename: missing operand\n"),
        ("dirname -x a", "dirname: invalid option -- 'x'\n"),
        ("env -S 'a b'", "env: invalid option -- 'S'\n"),
        ("seq -f %g 3", "seq: invalid option -- 'f'\n"),
    ],
)
async def test_what_they_refuse(script: str, complains: str):
    assert await Container().sh(f"{_MADE}{script}") == (1, "", complains)
