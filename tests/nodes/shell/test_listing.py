"""What ``ls`` and ``stat`` tell, and in which order: beside the real programs, it was the same."""

import pytest

from tests.nodes.shell.container import Container

_MADE = "mkdir d e; echo abc > a; dd if=/dev/zero of=b bs=3000 count=1 status=none; touch -d @5 c; echo x > .h; touch e/z; ln -s a l; "


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("ls -S", "d\ne\nb\na\nl\nc\n"),
        ("ls -Sr", "c\nl\na\nb\ne\nd\n"),
        ("ls -t | tail -n 1; ls -tr | head -n 1; ls --reverse | head -n 1", "c\nc\nl\n"),
        ("ls -p -1; ls --classify a d l", "a\nb\nc\nd/\ne/\nl\na\nl@\n\nd:\n"),
        ("ls -A; ls -a | head -n 3", ".h\na\nb\nc\nd\ne\nl\n.\n..\n.h\n"),
        ("ls -d . d; ls -R e .", ".\nd\n.:\na\nb\nc\nd\ne\nl\n\n./d:\n\n./e:\nz\n\ne:\nz\n"),
        ("dd if=/dev/zero of=g bs=30k count=1 status=none; ls -lhS a b g | awk '{print $5}'", "30K\n3.0K\n4\n"),
        ("ls -s a b; ls -go a | awk '{print $1, $2, $3}'; ls -lG a | awk '{print $3, $4}'; ls -n a | awk '{print $3, $4}'",
         "4 a\n4 b\n-rw-r--r-- 1 4\nroot 4\n0 0\n"),
        ("ls -i a | grep -c '[0-9] a'; ls -l c | awk '{print $6, $7, $8}'; ls --full-time c | awk '{print $6, $7}'",
         "1\nJan 1 1970\n1970-01-01 00:00:05.000000000\n"),
        ("ls c b a; ls --color=auto -k -N a; ls --group-directories-first | head -n 2; ls -U | head -n 1", "a\nb\nc\na\nd\ne\nd\n"),
        ("ls -l l | awk '{print $9, $10, $11}'; ls -lH l | awk '{print $5}'", "l -> a\n4\n"),
        ("ln -s e s; ls s; ls -d s; ls -ld s/ | cut -c1", "z\ns\nd\n"),
        ("stat --format=%s a; stat -L --format %F l s 2>/dev/null; stat -c '%n %i' a | grep -c 'a [0-9]'", "4\nregular file\n1\n"),
    ],
)  # fmt: skip
async def test_what_they_tell(script: str, says: str):
    code, out, _ = await Container().sh(f"cd $(mktemp -d); {_MADE}{script}")
    assert (out, code) == (says, 0)


@pytest.mark.parametrize(
    ("script", "complains"),
    [
        ("ls -Z", "ls: invalid option -- 'Z'\n"),
        ("ls --colour", "ls: unrecognized option '--colour'\n"),
        ("ls --color=always", "ls: colours aren't simulated here\n"),
        ("stat -x a", "stat: invalid option -- 'x'\n"),
        ("stat -c", "stat: option requires an argument -- 'c'\n"),
        ("stat --format", "stat: option '--format' requires an argument\n"),
    ],
)
async def test_what_they_refuse(script: str, complains: str):
    assert await Container().sh(script) == (1, "", complains)
