"""Sums, the commands that are made of them, and what bash makes of braces."""

import pytest

from tests.nodes.shell.container import Container


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("x=010; echo $((x)) $((0x1F)) $((1?2:3)) $((0?2:3)) $((~5)) $((!3)) $((- -4))", "8 31 2 3 -6 0 4\n"),
        ("echo $((x=5)) $x $((x+=2)) $x $((0 && (x=9))) $x $((1 || 1/0)) $(( (1+2)*3 )) $((x<<=1))", "5 5 7 7 0 7 1 9 14\n"),
        ("echo $((x++ + ++x)) $x $((x--)) $((--x)) $((-2**2)) $((2**3**2)) $((1,2)) $((0?y=1:5)) $y.", "2 2 2 0 4 512 2 5 .\n"),
        ("echo $((1<<4|3&6^1)) $((7%3)) $((-7/2)) $((-7%2)) $((3 > 2 == 1)) $((1 << 63)) $((9223372036854775807 + 1))",
         "19 1 -3 -1 1 -9223372036854775808 -9223372036854775808\n"),
        ("i=3; while [ $i -gt 0 ]; do echo $i; : $((i -= 1)); done", "3\n2\n1\n"),
        ("let i=5 j=i*2; echo $i $j $?; let 0; echo $?; let i++ 'k = 3'; echo $i$k", "5 10 0\n1\n63\n"),
        ("n=$RANDOM; [ $n -ge 0 ] && [ $n -le 32767 ] && echo $((RANDOM % 1))", "0\n"),
        ("echo $PPID; sh -c 'echo $PPID'; (echo $PPID); exec sh -c 'echo $PPID'", "0\n7\n0\n0\n"),
    ],
)  # fmt: skip
async def test_sums(script: str, says: str):
    assert await Container().sh(script) == (0, says, "")


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("echo $((08))", "sh: Illegal number: 08\n"),
        ("a=x; echo $((a+1))", "sh: Illegal number: x\n"),
        ("echo $((1 +))", "sh: arithmetic syntax error\n"),
        ("echo $((a b))", "sh: arithmetic syntax error\n"),
        ("echo $((5 % 0))", "sh: divide by zero\n"),
        (f"echo $(({'(' * 60}1{')' * 60}))", "sh: arithmetic expression: nested too deeply\n"),
        (f"echo $(({'1?' * 70}))", "sh: arithmetic expression: nested too deeply\n"),
    ],
)
async def test_sums_that_are_none(script: str, complaint: str):
    assert await Container().sh(script) == (2, "", complaint)


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("for ((i=0;i<3;i++)); do [ $i = 1 ] && continue; echo $i; done; echo $i", "0\n2\n3\n"),
        ("for ((;;)); do echo x; break; done; for (( i = 2 ; i > 0 ; i-- )) { echo $i; }; for ((i=0; i<9; i+=4))\ndo\necho $i\ndone",
         "x\n2\n1\n0\n4\n8\n"),
        ("((i)); echo $?; ((i=2)); echo $?; (( 1 > 0 )) && echo y; (( $(echo 3) % 2 == 0 )) || echo o", "1\n0\ny\no\n"),
        ("while ((n < 3)); do ((n+=1)); echo $n; done; ((echo a); (echo b))", "1\n2\n3\na\nb\n"),
        ("S=$SECONDS; sleep 2; SECONDS=5; echo $S $SECONDS", "0 5\n"),
        ("echo {1..5} {a..c} {01..3} {5..1..2} {x} {1..}; echo '{1..2}' \\{a,b} {a,b",
         "1 2 3 4 5 a b c 01 02 03 5 3 1 {x} {1..}\n{1..2} {a,b} {a,b\n"),
        ("echo a{b,c}d $COLOUR{1,2} {a,b}{1,2} pre{,x} {a,{b,c}}d; echo {a,'b c'} {} a{}; x={a,b}; echo $x",
         "abd acd blue1 blue2 a1 a2 b1 b2 pre prex ad bd cd\na b c {} a{}\n{a,b}\n"),
        ("mkdir -p d/{a,b}; ls d; for i in {1..3} z; do echo -n $i; done", "a\nb\n123z"),
    ],
)  # fmt: skip
@pytest.mark.virtual_time
async def test_what_bash_has(script: str, says: str):
    assert await Container().run("bash", "-c", script) == (0, says, "")


async def test_a_plain_shell_leaves_braces_as_they_are():
    assert (await Container().sh("echo {1..3} {a,b}"))[1] == "{1..3} {a,b}\n"


async def test_more_words_than_there_is_room_for_are_refused():
    for script in ("echo {1..1000000000}", f"echo {'{a,b}' * 50}"):
        assert await Container().run("bash", "-c", script) == (2, "", "bash: argument list too long\n")
