"""Where files are: beside the real ``find``, with what it finds in order, it was the same."""

import pytest

from tests.nodes.shell.container import Container

_MADE = "cd $(mktemp -d); mkdir -p a/b/c e; echo x > a/x.txt; echo y > a/b/Y.TXT; touch a/b/c/z; ln -s x.txt a/l; "


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("find a -maxdepth 1", "a\na/b\na/l\na/x.txt\n"),
        ("find . -mindepth 3", "./a/b/Y.TXT\n./a/b/c\n./a/b/c/z\n"),
        ("find . -mindepth 1 -maxdepth 1 -type d", "./a\n./e\n"),
        ("find a e -type l; find a -type f,l -name '[xl]*'", "a/l\na/l\na/x.txt\n"),
        ("find -name '*.txt'; find . -iname '*.txt'", "./a/x.txt\n./a/b/Y.TXT\n./a/x.txt\n"),
        ("find . -path '*/b/*'; find a -not -path '*b*'", "./a/b/Y.TXT\n./a/b/c\n./a/b/c/z\na\na/l\na/x.txt\n"),
        ("find . -empty; find . -empty -type f", "./a/b/c/z\n./e\n./a/b/c/z\n"),
        ("find a ! -type d -print; find a -type f -print0 | tr '\\0' ,", "a/b/Y.TXT\na/b/c/z\na/l\na/x.txt\na/b/Y.TXT,a/b/c/z,a/x.txt,"),
        ("find . \\( -name '*.txt' -o -name z \\) -a -type f; find a -name z -o -name l", "./a/b/c/z\n./a/x.txt\na/b/c/z\na/l\n"),
        ("find . -path ./a/b -prune -o -type f -print", "./a/x.txt\n"),
        ("touch -d @5 a/x.txt; find a -type f -mtime +9; find a -name z -mmin -5", "a/x.txt\na/b/c/z\n"),
        ("touch -d @5 a/x.txt; find a -newer a/x.txt -type f", "a/b/Y.TXT\na/b/c/z\n"),
        ("ln -s a s; find s; find s/ -maxdepth 1 -name x.txt; find e -type d -print -print", "s\ns/x.txt\ne\ne\n"),
        ("find nope a -maxdepth 0 2>/dev/null; echo $?", "a\n1\n"),
    ],
)  # fmt: skip
async def test_what_is_found(script: str, says: str):
    code, out, err = await Container().sh(f"{_MADE}{script}")
    assert (out, code, err) == (says, 0, "")


@pytest.mark.parametrize(
    ("script", "complains"),
    [
        ("find . -delete", "find: unrecognized: -delete\n"),
        ("find . -name", "find: -name requires an argument\n"),
        ("find . -type x", "find: invalid argument 'x' to '-type'\n"),
        ("find . -maxdepth x", "find: invalid number 'x'\n"),
        ("find . \\( -name x", "find: missing ')'\n"),
        ("find . -name x \\)", "find: unrecognized: )\n"),
        ("find . -name x -o", "find: an expression is missing\n"),
        ("find . -newer nope", "find: nope: No such file or directory\n"),
        ("which -x ls", "which: invalid option -- 'x'\n"),
    ],
)
async def test_what_is_refused(script: str, complains: str):
    assert await Container().sh(f"{_MADE}{script}") == (1, "", complains)


@pytest.mark.parametrize(
    ("asked", "says"),
    [("tool", "/opt/x/tool\n"), ("ls", "/usr/bin/ls\n"), ("./tool", "./tool\n"), ("-a tool", "/opt/x/tool\n/opt/y/tool\n")],
)
async def test_programs_are_where_the_shell_finds_them(asked: str, says: str):
    container = Container()
    await container.sh("mkdir -p /opt/x/dir /opt/y; echo echo mine > /opt/x/tool; cp /opt/x/tool /opt/x/no; chmod +x /opt/x/tool")
    await container.sh("cp /opt/x/tool /opt/y")
    path = "cd /opt/x; PATH=.:/opt/y:$PATH;"
    assert await container.sh(f"{path} which {asked}") == (0, says, "")
    assert await container.sh(f"{path} which no dir /opt nope") == (1, "", "")
