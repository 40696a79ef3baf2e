"""Files and directories that are made, shown and taken away: beside the real programs, what is printed was the same."""

import pytest

from tests.nodes.shell.container import Container


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("printf 'a\\n\\n\\nb\\tc' > f; printf 'x\\n\\001\\377\\n' > g; cat -n f g | tail -n 2 | head -n 1; cat -bs f",
         "     4\tb\tcx\n     1\ta\n\n     2\tb\tc"),
        ("printf 'a\\n\\n\\nb\\tc' > f; printf 'x\\n\\001\\377\\n' > g; cat -A f g; cat -et f; seq 2 | cat -n - /dev/null",
         "a$\n$\n$\nb^Icx$\n^AM-^?$\na$\n$\n$\nb^Ic     1\t1\n     2\t2\n"),
        ("seq 2 | cat --number; echo a > f; cat -u f; cat f --show-ends", "     1\t1\n     2\t2\na\na$\n"),
        ("mkdir -v a; mkdir -pv a/b; mkdir -p a", "mkdir: created directory 'a'\nmkdir: created directory 'a/b'\n"),
        ("mkdir -p a/b/c; rm -v a/b/c -r; rmdir -pv a/b",
         "removed directory 'a/b/c'\nrmdir: removing directory, 'a/b'\nrmdir: removing directory, 'a'\n"),
        ("mkdir -m u=rwx,go= h; mkdir -m 1770 i; mkdir -m g-w j; mkdir --mode=500 k; stat -c %a h i j k", "700\n1770\n757\n500\n"),
        ("mkdir -p a/b/c; touch a/b/x; rm -rv a",
         "removed directory 'a/b/c'\nremoved 'a/b/x'\nremoved directory 'a/b'\nremoved directory 'a'\n"),
        ("mkdir d; rm -d d; rm -f nope nope/x; touch a b; yes=$(echo y | rm -i a 2>&1); echo $yes; echo n | rm -i b 2>&1; ls",
         "rm: remove 'a'?\nrm: remove 'b'? b\n"),
        ("mkdir d; echo y | rm -rI d 2>/dev/null; ls; touch 1 2 3 4; echo n | rm -I ? 2>&1; rm -I 1 2; ls",
         "rm: remove 4 arguments? 3\n4\n"),
        ("touch -c none; ls; touch -d @5 w; stat -c %Y w; touch -t 202001020304.05 w; stat -c %Y w; touch -r w v; stat -c %Y v",
         "5\n1577934245\n1577934245\n"),
        ("touch -d @5 f; touch -a f; stat -c %Y f; touch -d '2020-01-02 03:04:05' f; stat -c %Y f; mkdir d; touch -d @7 d; stat -c %Y d",
         "5\n1577934245\n7\n"),
        ("touch f; ln -s f l; readlink l; readlink -n l", "f\nf"),
        ("cd /tmp; touch f; ln -s f l; readlink -f l none; readlink -e none; readlink f; readlink -e f", "/tmp/f\n/tmp/none\n/tmp/f\n"),
        ("x=$(mktemp -d -p . a.XXX); rmdir $x; x=$(mktemp --tmpdir=. --suffix=.y aXXXX); [ ${#x} = 9 ] && rm ./a????.y; ls",
         ""),
    ],
)  # fmt: skip
async def test_what_they_do(script: str, says: str):
    code, out, _ = await Container().sh(f"cd $(mktemp -d); {script}")
    assert (out, code) == (says, 0)


@pytest.mark.parametrize(
    ("script", "complains"),
    [
        ("rm -r .", "rm: can't remove '.': refusing to remove '.' or '..'\n"),
        ("rm d", "rm: can't remove 'd': Is a directory\n"),
        ("touch d/x; rm -d d", "rm: can't remove 'd': Directory not empty\n"),
        ("touch d/x; rmdir d", "rmdir: 'd': Directory not empty\n"),
        ("mkdir -p d/e/f; touch d/x; rmdir -p d/e/f", "rmdir: 'd': Directory not empty\n"),
        ("ln -s d l; rmdir l", "rmdir: 'l': Not a directory\n"),
        ("rmdir nope", "rmdir: 'nope': No such file or directory\n"),
        ("mkdir", "mkdir: missing operand\n"),
        ("mkdir -m 9 x", "mkdir: invalid mode '9'\n"),
        ("touch", "touch: missing file operand\n"),
        ("touch -d someday x", "touch: invalid date 'someday'\n"),
        ("touch nope/x", "touch: nope/x: No such file or directory\n"),
        ("rm -z", "rm: invalid option -- 'z'\n"),
        ("readlink -v d", "readlink: d: Invalid argument\n"),
        ("mktemp -q /nope/aXXX", ""),
        ("mktemp aXX", "mktemp: invalid template 'aXX'\n"),
        ("cat -x", "cat: invalid option -- 'x'\n"),
        ("cat --numbers", "cat: unrecognized option '--numbers'\n"),
    ],
)
async def test_what_they_refuse(script: str, complains: str):
    assert await Container().sh(f"cd $(mktemp -d); mkdir d; {script}") == (1, "", complains)
