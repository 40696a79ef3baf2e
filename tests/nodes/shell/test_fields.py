"""How lines and values fall apart into words, as ``IFS`` has it, and for how long variables before a command are set."""

import pytest

from tests.nodes.shell.container import Container


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("IFS=:; x='a:b::c:'; for p in $x; do echo \"<$p>\"; done; set -- $x; echo $#", "<a>\n<b>\n<>\n<c>\n4\n"),
        ("IFS=' ,'; set -- $(echo ' a , b,c  d ,, e'); for i in \"$@\"; do echo \"[$i]\"; done; IFS=,; echo \"$*\"",
         "[a]\n[b]\n[c]\n[d]\n[]\n[e]\na,b,c,d,,e\n"),
        ("IFS=; v='a b'; set -- $v; echo $#; unset IFS; set -- $v; echo $#", "1\n2\n"),
        ('while IFS= read -r l; do echo "<$l>"; done <<EOF\n  a b \nc\\\\\n\nEOF', "<  a b >\n<c\\>\n<>\n"),
        ('while read l; do echo "<$l>"; done <<EOF\n  a  b \n x\\\\\\\ny\\\\ z\nEOF', "<a  b>\n<xy z>\n"),
        ('while IFS=: read -r k v; do echo "$k=$v"; done <<EOF\na:b:c\nd\n:e\n f : g \nEOF', "a=b:c\nd=\n=e\n f = g \n"),
        ("echo 'x  y z' | { read -t 5 -p 'say ' -r a b; echo $a,$b; }; echo ' r ' | { read -r; echo \"<$REPLY>\"; }", "x,y z\n< r >\n"),
        ("f() { echo $X; }; X=1 f; echo $X.; X=2 :; echo $X; X=3 echo a; echo $X; X=4 read y < /dev/null; echo $X", "1\n.\n2\na\n2\n2\n"),
    ],
)  # fmt: skip
async def test_words(script: str, says: str):
    assert await Container().sh(script) == (0, says, "")
