"""What shells may be told to do otherwise: ``set -u``, ``set -x``, ``set -o pipefail`` and the like."""

import pytest

from tests.nodes.shell.container import Container


@pytest.mark.parametrize(
    ("words", "code", "says", "complaint"),
    [
        (("sh", "-uc", "echo ${X:-a} ${X+b} ${X-c} $# $@; echo $X; echo no"), 2, "a c 0\n", "sh: X: parameter not set\n"),
        (("sh", "-c", "set -u; trap 'echo bye' EXIT; x=${Y}; echo no"), 2, "bye\n", "sh: Y: parameter not set\n"),
        (("sh", "-c", "set -o nounset; f() { echo $1; }; f a; f; echo no"), 2, "a\n", "sh: 1: parameter not set\n"),
        (("sh", "-c", "set -u; echo ${#X}"), 2, "", "sh: X: parameter not set\n"),
        (("sh", "-c", "set -u; set +u; echo $X."), 0, ".\n", ""),
        (("sh", "-c", "set -u; (echo $X); echo $?"), 0, "2\n", "sh: X: parameter not set\n"),
        (("bash", "-c", "set -u; echo $X; echo no"), 127, "", "bash: X: unbound variable\n"),
        (("bash", "-c", "set -euo pipefail; false | true; echo no"), 1, "", ""),
        (("sh", "-c", "set -o pipefail; (exit 3) | (exit 4) | true; echo $?; set +o pipefail; false | true; echo $?"), 0, "4\n0\n", ""),
        (("sh", "-c", "set -o pipefail; seq 3 | grep -q 9 || echo none; ! false | true; echo $?"), 0, "none\n0\n", ""),
        (("sh", "-ec", "echo $-; set -f; echo /et* $-; set +f; echo /etc/pass*d"), 0, "e\n/et* ef\n/etc/passwd\n", ""),
        (("sh", "-c", "set -a; X=1; set +a; Y=2; sh -c 'echo $X$Y.'"), 0, "1.\n", ""),
        (("sh", "-ceu", "echo a; false; echo b"), 1, "a\n", ""),
        (("sh", "-o", "errexit", "-c", "false; echo b"), 1, "", ""),
        (("sh", "-c", "set -Z; echo no"), 2, "", "sh: set: Illegal option -Z\n"),
        (("sh", "-c", "set -o none; echo no"), 2, "", "sh: set: Illegal option -o none\n"),
        (("sh", "-c", "set -- -a 'b c'; echo $1 $#; set -e -- q; echo $1; set --; echo $#"), 0, "-a 2\nq\n0\n", ""),
        (
            ("sh", "-xc", "x=1 y='a b'; echo \"$y\" 2>/dev/null; y=$(echo hi); f() { : $1; }; f a; set +x; : b"),
            0,
            "a b\n",
            "+ x=1 y='a b'\n+ echo 'a b'\n+ echo hi\n+ y=hi\n+ f a\n+ : a\n+ set +x\n",
        ),
        (
            ("bash", "-xc", "x=1 y=2; for i in 1 'a b'; do y=$(: $i); done; case $x in *) ;; esac"),
            0,
            "",
            "+ x=1\n+ y=2\n+ for i in 1 'a b'\n++ : 1\n+ y=\n+ for i in 1 'a b'\n++ : a b\n+ y=\n+ case $x in\n",
        ),
    ],
)
async def test_options(words: tuple[str, ...], code: int, says: str, complaint: str):
    assert await Container().run(*words) == (code, says, complaint)
