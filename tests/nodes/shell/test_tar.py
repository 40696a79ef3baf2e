"""What ``tar`` packs, lists and unpacks, by its options: beside the real one, it was the same."""

import base64
import io
import tarfile

import pytest

from tests.nodes.shell.container import Container

_MADE = "cd $(mktemp -d); mkdir -p s/sub o p; echo a > s/a; echo b > s/sub/b; ln -s a s/l; tar cf t.tar s; "


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("tar -cvf u.tar s", "s/\ns/a\ns/l\ns/sub/\ns/sub/b\n"),
        ("tar cvf - s 2>&1 >u.tar; tar tf u.tar | wc -l", "s/\ns/a\ns/l\ns/sub/\ns/sub/b\n5\n"),
        ("tar tf t.tar s/sub; tar --list --file=t.tar s/a s/l", "s/sub/\ns/sub/b\ns/a\ns/l\n"),
        ("tar tvf t.tar | head -n3 | awk '{print $1, $2, $3, $6, $7, $8}'",
         "drwxr-xr-x root/root 0 s/  \n-rw-r--r-- root/root 2 s/a  \nlrwxrwxrwx root/root 0 s/l -> a\n"),
        ("tar xvf t.tar -C o s/sub s/l; ls -R o/s", "s/l\ns/sub/\ns/sub/b\no/s:\nl\nsub\n\no/s/sub:\nb\n"),
        ("tar -xf t.tar -Cp --strip-components=1; ls p; tar -xOf t.tar s/a; tar xfC t.tar o; cat o/s/sub/b", "a\nl\nsub\na\nb\n"),
        ("tar cf u.tar --exclude=b --exclude='l*' -C s a l sub; tar tf u.tar; tar xf t.tar --exclude sub -C o; ls o/s",
         "a\nsub/\na\nl\n"),
        ("tar --create --gzip --file z.tgz s; tar xzf z.tgz -C o; ls o", "s\n"),
        ("tar caf y.tar.gz s; head -c2 y.tar.gz | hexdump -C | head -n1 | cut -c11-15", "1f 8b\n"),
        ("chown 7:8 s/a; chmod 600 s/a; touch -d @5 s/a; tar cf t.tar s; tar xf t.tar -C o; stat -c '%u %g %a %Y' o/s/a", "7 8 600 5\n"),
        ("chown 7:8 s/a; touch -d @5 s/a; tar cf t.tar s; tar xmof t.tar -C p; stat -c '%u %a' p/s/a; [ $(stat -c %Y p/s/a) -gt 5 ]",
         "0 644\n"),
        ("echo new > s/a; tar xkf t.tar 2>/dev/null; echo $?; cat s/a; tar xf t.tar; cat s/a", "1\nnew\na\n"),
        ("tar chf u.tar s/l; tar xf u.tar -C o; readlink o/s/l || cat o/s/l; tar cf u.tar --no-recursion s; tar tf u.tar", "a\ns/\n"),
        ("tar cPf u.tar $PWD/s/a; rm s/a; tar xPf u.tar; cat s/a; tar xf u.tar -C o; find o -name a | wc -l", "a\n1\n"),
        ("mkdir -p x/" + "d/" * 300 + "; tar cf u.tar x; tar tf u.tar | wc -l", "301\n"),
    ],
)  # fmt: skip
async def test_what_is_packed_and_unpacked(script: str, says: str):
    code, out, err = await Container().sh(f"{_MADE}{script}")
    assert (out, code, err) == (says, 0, "")


@pytest.mark.parametrize(
    ("script", "complains"),
    [
        ("tar tf t.tar nope > /dev/null", "tar: nope: not found in archive\n"),
        ("tar xf t.tar s/nope", "tar: s/nope: not found in archive\n"),
        ("tar", "tar: need at least one option\n"),
        ("tar f t.tar", "tar: you must specify one of 'c', 'x', 't'\n"),
        ("tar cxf t.tar s", "tar: you must specify one of 'c', 'x', 't'\n"),
        ("tar xf", "tar: option requires an argument -- 'f'\n"),
        ("tar rf t.tar s", "tar: invalid option -- 'r'\n"),
        ("tar cjf t.tar s", "tar: invalid option -- 'j'\n"),
        ("tar cf t.tar -C s a -C sub b", "tar: only one directory is simulated here\n"),
        ("tar tf t.tar --wildcards '*b'", "tar: unrecognized option '--wildcards'\n"),
    ],
)
async def test_what_is_refused(script: str, complains: str):
    assert await Container().sh(f"{_MADE}{script}") == (1, "", complains)


def archive(*names: tuple[str, str]) -> str:
    """A file, and others that are other names of something, as base64."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as into:
        first = tarfile.TarInfo("a")
        first.size = 5
        into.addfile(first, io.BytesIO(b"data\n"))
        for name, of in names:
            other = tarfile.TarInfo(name)
            other.type, other.linkname = tarfile.LNKTYPE, of
            into.addfile(other)
    return base64.b64encode(packed.getvalue()).decode()


async def test_other_names_of_a_file_are_unpacked():
    script = f"cd $(mktemp -d); echo {archive(('b', 'a'), ('c', 'b'))} | base64 -d | tar xf -; cat a b c"
    assert (await Container().sh(script))[:2] == (0, "data\n" * 3)


async def test_another_name_of_nothing_is_told():
    script = f"cd $(mktemp -d); echo {archive(('b', 'nope'))} | base64 -d | tar xf -; echo $?; ls"
    assert await Container().sh(script) == (0, "1\na\n", "tar: can't open 'b': cannot hard link to 'nope'\n")
