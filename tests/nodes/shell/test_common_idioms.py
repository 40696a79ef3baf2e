"""What scripts do most often with parameters, lists, traps and patterns: beside the real shells and programs, all of it was the same."""

import pytest

from tests.nodes.shell.container import Container

IN_ANY = {
    'x=1 y=$x; echo "[$y]"; a=5 b=$((a+1)) c=$b; echo $b $c': "[1]\n6 6\n",
    'f() { echo $#; }; f "$@"; f x "$@"; for i in "$@"; do echo "in[$i]"; done': "0\n1\n",
    'printf "<%s>" x "$@"; echo': "<x>\n",
    'set -- a ""; f() { echo $#; }; f "$@"': "2\n",
    'set -- ""; f() { echo $#; }; f "$@"': "1\n",
    'echo 10.0.0.1 | grep -qE "^[0-9]+\\.[0-9]+" && echo yes': "yes\n",
    'seq 3 | grep -cE "^(1|2)$"': "2\n",
    'seq 12 | grep -cE "[0-9]+"': "12\n",
    'echo aab | grep "a\\{2\\}"': "aab\n",
    'echo v1.2 | grep -oE "[0-9.]+"': "1.2\n",
    "printf 'ab\\nxx\\n' | grep -o b": "b\n",
    'printf "a=1\\nb=2\\nab=3\\n" | grep -E "^(a|b)="': "a=1\nb=2\n",
    'echo "a+b" | grep "a+b"': "a+b\n",
    'echo "aab" | grep -E "a+b" | grep -v "x\\+"': "aab\n",
    'printf "a 2\\nb 1\\n" | sort -k2': "b 1\na 2\n",
    'printf "x:9\\ny:10\\n" | sort -t: -k2 -nr': "y:10\nx:9\n",
    'printf "x:9\\ny:10\\n" | sort -t: -k2,2n': "x:9\ny:10\n",
}
IN_BASH = {
    'f() { echo $#; }; a=(); f "${a[@]}"; b=("${a[@]}"); echo ${#b[@]}; for i in "${a[@]}"; do echo in; done': "0\n0\n",
    'set -euo pipefail; a=(); for i in "${a[@]}"; do :; done; echo ok': "ok\n",
    "set -Eeuo pipefail; trap cleanup SIGINT SIGTERM ERR EXIT; cleanup() { trap - SIGINT SIGTERM ERR EXIT; echo c; }; echo hi": "hi\nc\n",
    "trap 'echo failed $?' ERR; false; if false; then :; fi; false || true; echo on": "failed 1\non\n",
    "set -e; trap 'echo r' RETURN; echo on": "on\n",
}


@pytest.mark.parametrize(
    ("shell", "script", "said"),
    [("sh", *one) for one in IN_ANY.items()] + [("bash", *one) for one in (IN_ANY | IN_BASH).items()],
)
async def test_an_idiom_does_what_it_does_everywhere(shell: str, script: str, said: str):
    assert await Container().run(shell, "-c", script) == (0, said, "")


async def test_bash_ends_by_a_trap_for_what_fails():
    assert await Container().run("bash", "-c", "set -Ee; trap 'echo t; exit 7' ERR; false; echo never") == (7, "t\n", "")
