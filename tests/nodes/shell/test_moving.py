"""Files that are moved, copied and linked: what becomes of them, and what is refused before anything is lost."""

import pytest

from svcsim.nodes.shell.tree import Disk
from tests.nodes.shell.container import Container


@pytest.mark.parametrize(
    ("script", "says", "complains"),
    [
        ("mv f f", "a\n", "mv: 'f' and 'f' are the same file\n"),
        ("mv f ./f", "a\n", "mv: 'f' and './f' are the same file\n"),
        ("mv f .", "a\n", "mv: 'f' and './f' are the same file\n"),
        ("ln -s f l; mv l f", "a\n", "mv: 'l' and 'f' are the same file\n"),
        ("cp f f", "a\n", "cp: 'f' and 'f' are the same file\n"),
        ("ln -s f l; cp f l", "a\n", "cp: 'f' and 'l' are the same file\n"),
        ("ln -s f l; cp l f", "a\n", "cp: 'l' and 'f' are the same file\n"),
        ("ln -sf f f", "a\n", "ln: 'f' and 'f' are the same file\n"),
        ("ln f l; ln f l", "a\n", "ln: l: File exists\n"),
        ("mv nope x", "a\n", "mv: can't rename 'nope': No such file or directory\n"),
        ("cp nope x", "a\n", "cp: can't stat 'nope': No such file or directory\n"),
        ("mv f nope/", "a\n", "mv: can't rename 'f': Not a directory\n"),
        ("cp f nope/x", "a\n", "cp: can't create 'nope/x': No such file or directory\n"),
        ("mkdir d; mv d d/x", "a\n", "mv: can't rename 'd': Invalid argument\n"),
        ("mkdir d; cp d e", "a\n", "cp: omitting directory 'd'\n"),
        ("mkdir d; cp -r d d", "a\n", "cp: cannot copy a directory, 'd', into itself, 'd/d'\n"),
        ("mkdir d; mv d f", "a\n", "mv: can't rename 'd': Not a directory\n"),
        ("mkdir -p d/f; mv f d", "a\n", "mv: can't rename 'f': Is a directory\n"),
        ("mkdir -p d/f; cp f d", "a\n", "cp: cannot overwrite directory 'd/f' with non-directory\n"),
        ("mkdir -p d/e/x e; mv e d", "a\n", "mv: can't rename 'e': Directory not empty\n"),
        ("mv f", "a\n", "mv: missing destination file operand after 'f'\n"),
        ("cp", "a\n", "cp: missing file operand\n"),
        ("touch a b; mv a b x", "a\n", "mv: target 'x' is not a directory\n"),
        ("cp -q f x", "a\n", "cp: invalid option -- 'q'\n"),
        ("mv --no-such f x", "a\n", "mv: unrecognized option '--no-such'\n"),
    ],
)
async def test_what_would_lose_something_is_refused(script: str, says: str, complains: str):
    container = Container()
    assert await container.sh(f"cd /tmp; echo a > f; {script}") == (1, "", complains)
    assert (await container.sh("cat /tmp/f"))[1] == says


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("mv -v f g; ls; mkdir d; mv -t d g; ls d; mv d e; ls", "renamed 'f' -> 'g'\ng\ng\ne\n"),
        ("ln -s f l; mv l m; readlink m; mv f m; cat m; ls", "f\na\nm\n"),
        ("mkdir -p d/e g; touch d/e/x; mv d/e g; ls d g/e", "d:\n\ng/e:\nx\n"),
        ("mkdir -p d e/d; touch d/x; mv d e; ls e/d", "x\n"),
        ("echo b > g; mv -n f g; echo $?; cat f g; mv -f f g; cat g", "0\na\nb\na\n"),
        ("echo b > g; cp -n f g; echo $?; cat g; echo y | cp -i f g 2>/dev/null; cat g", "0\nb\na\n"),
        ("echo b > g; echo n | mv -i f g; cat f g", "a\nb\n"),
        ("chmod 600 f; chown 7:8 f; touch -d @5 f; mv f g; stat -c '%a %u %g %Y' g", "600 7 8 5\n"),
        ("chmod 600 f; chown 7:8 f; touch -d @5 f; cp -p f g; stat -c '%a %u %g %Y' g; cp f h; stat -c '%a %u' h", "600 7 8 5\n600 0\n"),
        ("chmod 600 f; echo b > g; cp f g; stat -c %a g", "644\n"),
        ("touch -d @5 f; echo b > g; cp -u f g; cat g; cp f g; cat g", "b\na\n"),
        ("ln -s f l; cp l m; cp -P l n; cp -d l o; cp -L l p; readlink m n o p; echo $?", "f\nf\n1\n"),
        ("mkdir d; ln -s ../f d/l; chmod 700 d; cp -r d e; readlink e/l; stat -c %a e; cp -rL d g; cat g/l", "../f\n700\na\n"),
        ("mkdir -p y/d; touch y/d/q; cp -rv y w; cp -vt w f", "'y' -> 'w'\n'y/d' -> 'w/d'\n'y/d/q' -> 'w/d/q'\n'f' -> 'w/f'\n"),
        ("mkdir -p s/a t; touch s/.h s/a/x; cp -a s/. t; ls -A t; cp -r s t; ls t/s", ".h\na\na\n"),
        ("mkdir d; ln -s /etc/passwd d; readlink d/passwd; ln -sv f k; ln -sfn f k; ln -s d e; ln -sfnv f e",
         "/etc/passwd\n'k' -> 'f'\n'e' -> 'f'\n"),
        ("mkdir d; cd d; ln -s ../f; cat f; cp -- ../f -x; cat ./-x", "a\na\n"),
        ("echo b | cp /dev/stdin g; cat g", "b\n"),
    ],
)  # fmt: skip
async def test_where_they_come_to_stand(script: str, says: str):
    code, out, _ = await Container().sh(f"cd $(mktemp -d); echo a > f; {script}")
    assert (out, code) == (says, 0)


async def test_a_disk_that_is_full_loses_nothing_that_is_moved_to_it():
    container = Container()
    await container.sh("mkdir -p /mnt; seq 2000 > /tmp/many; mkdir /tmp/empty; touch /tmp/empty/x; mkdir -p /mnt/empty")
    container.tree.find("/mnt").mount = True
    container.tree.find("/mnt").disk = Disk(16)
    assert (await container.sh("mv /tmp/many /mnt/few"))[2] == "mv: can't rename '/tmp/many': No space left on device\n"
    assert (await container.sh("mv /tmp/empty /mnt"))[0] == 1
    assert await container.sh("tail -n1 /tmp/many; ls /tmp/empty /mnt") == (0, "2000\n/mnt:\nempty\n\n/tmp/empty:\nx\n", "")


async def test_deep_directories_are_copied():
    container = Container()
    deep = "d/" * 900
    assert await container.sh(f"cd /tmp; mkdir -p {deep}; echo a > {deep}f; cp -r d e; cat e/{deep[2:]}f") == (0, "a\n", "")
