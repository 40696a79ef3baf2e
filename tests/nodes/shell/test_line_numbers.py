"""``$LINENO``: beside bash, what is printed was the same."""

import pytest

from tests.nodes.shell.container import Container

_LINES = """echo $LINENO
f() {
  echo f $LINENO
  if true; then
    echo $LINENO $(echo $LINENO)
  fi
}
cat <<E
a $LINENO
b $(echo $LINENO)
E
echo $LINENO; f
echo $LINENO # a comment
for i in $LINENO; do
  echo $i $LINENO
done; while [ $LINENO -lt 3 ]; do :; done
eval "echo \\$LINENO"
x=" "
echo a \\
  $LINENO
(echo $LINENO)
case $LINENO in *) echo $LINENO;; esac
true &&
 echo $LINENO
echo $((LINENO+1)) ${LINENO:-no}
trap "echo exit \\$LINENO" EXIT
cd $(mktemp -d); echo "echo src \\$LINENO" > s; . ./s
echo $LINENO | cat
set -u; echo $LINENO
"""
_SAID = "1\na 8\nb 8\n12\nf 3\n5 5\n13\n14 15\n17\na 19\n21\n22\n24\n26 25\nsrc 1\n28\n29\nexit 1\n"


@pytest.mark.parametrize("shell", ["sh", "bash"])
async def test_lines_are_numbered(shell: str):
    assert await Container().run(shell, "-c", _LINES) == (0, _SAID, "")


async def test_what_failed_is_told_by_its_line():
    script = "set -Eeuo pipefail\ntrap 'echo failed on line $LINENO' ERR\nf() {\n  true\n}\nf\necho a |\n  cat\n\nfalse\necho b"
    assert await Container().run("bash", "-c", script) == (1, "a\nfailed on line 10\n", "")


async def test_scripts_in_files_begin_with_their_first_line():
    script = "\nprintf '#!/bin/sh\\necho $LINENO\\n' > /tmp/s\nchmod +x /tmp/s\n/tmp/s\nsh /tmp/s\nx=$(/tmp/s); echo $x $LINENO"
    assert await Container().sh(script) == (0, "2\n2\n2 6\n", "")
