"""The order of lines: beside the real ``sort``, it was the same."""

import pytest

from tests.nodes.shell.container import Container

_MADE = "cd $(mktemp -d); printf 'b 2 x\\na 10 y\\na 9 z\\nB 1 w\\n' > f; "


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("sort f", "B 1 w|a 10 y|a 9 z|b 2 x"),
        ("sort -k1,1 -k2,2n f", "B 1 w|a 9 z|a 10 y|b 2 x"),
        ("sort -k2n -k1 f", "B 1 w|b 2 x|a 9 z|a 10 y"),
        ("sort -k1,1r -k2nr f", "b 2 x|a 10 y|a 9 z|B 1 w"),
        ("sort -f f", "a 10 y|a 9 z|B 1 w|b 2 x"),
        ("sort -rk3 f", "a 9 z|a 10 y|b 2 x|B 1 w"),
        ("sort -t' ' -k1,1 -s f", "B 1 w|a 10 y|a 9 z|b 2 x"),
        ("sort --key=1,1 --stable --reverse f", "b 2 x|a 10 y|a 9 z|B 1 w"),
        ("sort -uk1,1 f; sort -u -k1,1f f", "B 1 w|a 10 y|b 2 x|a 10 y|b 2 x"),
        ("printf '1K\\n2M\\n3\\n1G\\n-1K\\n' | sort -h", "-1K|3|1K|2M|1G"),
        ("printf 'v1.10\\nv1.9\\nv1.2\\nv1.2.1\\n' | sort -V; printf 'a2\\na10\\n' | sort -rV", "v1.2|v1.2.1|v1.9|v1.10|a10|a2"),
        ("printf ' b\\na\\n  c\\n' | sort -b", "a| b|  c"),
        ("printf ' b\\na\\n  c\\n' | sort -k1,1", "  c| b|a"),
        ("printf 'x:b\\ny:a\\n' | sort -t: -k2.1,2.1; printf 'ab3\\nab1\\n' | sort -k1.3n", "y:a|x:b|ab1|ab3"),
        ("printf '1e3\\n20\\nx\\n' | sort -g; printf 'a-b\\nab\\nac\\n' | sort -d", "x|20|1e3|a-b|ab|ac"),
        ("printf 'b\\na\\nb\\n' > g; sort -u -o g g; cat g; sort -m g g; sort -c g && sort -C f || echo no", "a|b|a|a|b|b|no"),
        ("printf '10\\n9\\n1\\n' | sort -nr; printf 'a\\nb\\nab\\n' | sort -r", "10|9|1|b|ab|a"),
    ],
)
async def test_lines_come_in_order(script: str, says: str):
    code, out, err = await Container().sh(f"{_MADE}{script}")
    assert (out.splitlines(), code, err) == (says.split("|"), 0, "")


@pytest.mark.parametrize(
    ("script", "complains"),
    [
        ("sort -k0 f", "sort: such a key isn't simulated here: '0'\n"),
        ("sort -k1M f", "sort: such a key isn't simulated here: '1M'\n"),
        ("sort -q f", "sort: invalid option -- 'q'\n"),
        ("sort -R f", "sort: invalid option -- 'R'\n"),
        ("sort -t ab f", "sort: multi-character tab 'ab'\n"),
        ("sort nope", "sort: nope: No such file or directory\n"),
    ],
)
async def test_what_is_refused(script: str, complains: str):
    assert await Container().sh(f"{_MADE}{script}") == (2, "", complains)


async def test_disorder_is_an_answer():
    assert await Container().sh(f"{_MADE}sort -c f") == (1, "", "sort: f:2: disorder: a 10 y\n")
