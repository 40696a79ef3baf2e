"""The simulated shell: what commands print, how they end, what they leave behind, and what they can't do to anybody."""

import asyncio
import io
import tarfile

import pytest

from svcsim.clock import turn
from svcsim.nodes.shell.lines import Terminal
from svcsim.nodes.shell.streams import Streams
from svcsim.nodes.streams.commands import INTERRUPTED
from tests.nodes.shell.container import Client, Container

RUNTIME = "OCI runtime exec failed: exec failed: unable to start container process"


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo a  b; echo -n c", "a b\nc"),
        ("true && echo yes || echo no", "yes\n"),
        ("false && echo yes || echo no", "no\n"),
        ("echo '$COLOUR' \"$COLOUR\" ${COLOUR}s ${NONE:-none} ${#COLOUR} ${COLOUR#b}", "$COLOUR blue blues none 4 lue\n"),
        ("x=3; y=$((x * (2 + 1) % 5)); echo $y", "4\n"),
        ("echo $(echo in; echo ner) `echo old`", "in ner old\n"),
        ("printf '%s=%03d\\n' a 7 b 8", "a=007\nb=008\n"),
        ("echo one > /tmp/f; echo two >> /tmp/f; cat < /tmp/f | wc -l", "2\n"),
        ("mkdir -p /a/b && touch /a/b/x.txt /a/b/y.txt && ls /a/b; echo /a/b/*.txt", "x.txt\ny.txt\n/a/b/x.txt /a/b/y.txt\n"),
        ("cd /etc && pwd && cat hostname 2>/dev/null || echo none", "/etc\nnone\n"),
        ("for i in 1 2 3; do [ $i = 2 ] && continue; echo $i; done", "1\n3\n"),
        ("i=0; while [ $i -lt 3 ]; do i=$((i+1)); done; echo $i", "3\n"),
        ("if [ -d /etc ]; then echo there; elif true; then echo no; else echo never; fi", "there\n"),
        ("env | grep COLO; A=1 env | grep ^A=", "COLOUR=blue\nA=1\n"),
        ("(cd /tmp; pwd); { pwd; }", "/tmp\n/\n"),
        ('set -- x \'y z\'; for a in "$@"; do echo "<$a>"; done; echo $#', "<x>\n<y z>\n2\n"),
        ("date -u +%Y; date", "2026\nThu Jan  1 00:00:00 UTC 2026\n"),
        ("whoami; hostname; id -u", "root\nweb-1\n0\n"),
        ("echo c > /tmp/s; chmod +x /tmp/s; echo 'echo ran $1' > /tmp/s; /tmp/s it", "ran it\n"),
        ("seq 3 | tail -n 2 | head -1", "2\n"),
        ("export B=2; sh -c 'echo $B'; C=3; sh -c 'echo [$C]'", "2\n[]\n"),
        ("echo err >&2; echo out 1>&2 2>/dev/null", ""),
        ("ls /nope 2>&1 | cat", "ls: /nope: No such file or directory\n"),
        ("test -f /etc/passwd -a ! -d /etc/passwd; echo $?", "0\n"),
        (r"printf '\336\312 0' | hexdump -C", f"{'00000000  de ca 20 30':<60}|.. 0|\n00000004\n"),
        ("echo 'a b  c' | awk '{print $3, $1}'; echo a:b | awk -F: '{ print $NF; }'", "c a\nb\n"),
        (
            "echo 'a b' | awk {'print $1'}; printf 'x y\\nz\\n' | awk '{print}'; echo 1 2 | awk '{print \"n\", $0, $9}'",
            "a\nx y\nz\nn 1 2 \n",
        ),
        ("h() { false; echo still; }; set -e; h && echo and; echo end", "still\nand\nend\n"),
        ("set -e; { false; echo still; } || echo no; if ! (false; true); then echo then; fi; echo end", "still\nend\n"),
        ("seq 3 | while read i; do echo -$i; done", "-1\n-2\n-3\n"),
        ("f() { echo $# $1; }; f 'a b' c; set -- x; f; echo $1", "2 a b\n0\nx\n"),
        ("function f { return 3; echo no; }; f || echo $?; g () ( cd /tmp; pwd ); g; pwd", "3\n/tmp\n/\n"),
        ("f() { local x=1 y; x=$((x + $1)); echo $x; n=$x; }; x=7; f 4; echo $x $n $y.", "5\n7 5 .\n"),
        ("f() { if [ $1 -gt 0 ]; then echo $1; f $(($1 - 1)); fi; }; f 3", "3\n2\n1\n"),
        ("f() { cat; echo $1; }\necho in | f out > /tmp/f\ncat /tmp/f; ls() { echo mine; }; ls", "in\nout\nmine\n"),
        ("f() for i in \"$@\"; do echo $i; done\nf a 'b c'", "a\nb c\n"),
        (
            "for w in a.txt b 7 '*' ''; do case $w in *.txt) echo text;; [0-9]|b) echo one;; '*') echo star;; *) echo other; esac; done",
            "text\none\none\nstar\nother\n",
        ),
        ('case x in (y) echo no;; esac; echo $?\ncase "$COLOUR" in\n  b*)\n    echo starts\n    ;;\n  *) ;;\nesac', "0\nstarts\n"),
        ("case a in a) false;; esac || echo failed; case a in a) ;; *) echo no;; esac; echo $?", "failed\n0\n"),
        ("trap 'echo int' INT; kill -INT $$; echo a; kill -CHLD $$; echo b", "int\na\nb\n"),
        ('echo 5 > /tmp/n; N=/tmp/n; echo "[$(< /tmp/n)]" $(<$N)', "[5] 5\n"),
        ("echo 5 > /tmp/n; echo $(( $(cat /tmp/n) * 2 - `cat /tmp/n` )) $((1+$(cat /tmp/n))) $(($(($(cat /tmp/n)+1))*2))", "5 6 12\n"),
        ('A=\'1 + 2\'; echo $((($A) * 2)) "$(( $(printf 3) < 4 && (1 == 1) ))" $(("$NONE" + 1)) $(( $NONE ))', "6 1 1 0\n"),
        ("echo $((${NONE:-4} * 2 + $#)); f() { echo $((${1:-3}*2)) $((${1-3}+$1)); }; f 5", "8\n10 10\n"),
        ("false & wait $!; echo $?; wait 99; echo $?; wait; echo $?", "1\n127\n0\n"),
        ("echo a & echo b; wait; sleep 100 & kill $!; wait $!; echo $?", "a\nb\n143\n"),
        ("sleep 0.01 & while kill -0 $! 2>/dev/null; do sleep 0.02; done; kill $! 2>/dev/null; echo $?", "1\n"),
        ("sh -c 'echo $$; kill -9 $$; echo no'; echo $? $$; exec env A=b sh -c 'echo $$ $A'", "8\n137 7\n7 b\n"),
        ("sh -c 'export P=$$; sh -c \"kill -HUP \\$P\"; echo no'; echo $?", "129\n"),
        ("sh -c 'export P=$$; sh -c \"kill -HUP \\$P; echo on\"; echo no'; echo $?", "on\n129\n"),
        ("(trap 'echo out' EXIT; exit 3); echo $?; sh -c \"trap 'echo out' EXIT; exit 3\"; echo $?", "out\n3\nout\n3\n"),
        ("printf 'a b\\nc d\\ne' | { read x; read y z; cat; echo; echo $x,$y,$z; }", "e\na b,c,d\n"),
        ("printf '1\\n2\\n' > /tmp/f; while read n; do s=$((s + n)); done < /tmp/f; echo $s", "3\n"),
        ("for i in 1 2 3 4 5; do echo -n 01234567; done | hexdump -C | grep -c .; printf '\\xc3\\xa9'", "4\né"),
        ("echo 'a|b' | base64 | base64 -d; md5sum /dev/null", "a|b\nd41d8cd98f00b204e9800998ecf8427e  /dev/null\n"),
    ],
)
async def test_what_scripts_say(script: str, says: str):
    code, out, _ = await Container().sh(script)
    assert (out, code) == (says, 0)


async def test_lists_are_of_numbers_and_of_what_links_lead_to_where_that_is_asked_for():
    container = Container()
    await container.sh("mkdir /d; printf abc > /d/f; ln -s f /d/l; ln -s none /d/broken; ln -s . /d/self")
    _, out, err = await container.sh("ls -nL /d")
    listed = {line.split()[-1]: line.split()[:5] for line in out.splitlines()[1:]}
    assert listed["f"] == listed["l"] == ["-rw-r--r--", "1", "0", "0", "3"]
    assert (listed["none"][0], listed["self"][0], err) == ("lrwxrwxrwx", "drwxr-xr-x", "")
    assert (await container.sh("ls -nL /d/l"))[1].split()[:5] == listed["f"]
    assert (await container.sh("ls -ln /d/l"))[1].split()[0] == "lrwxrwxrwx"
    assert (await container.sh("ls -RL /d"))[1] == "/d:\nbroken\nf\nl\nself\n"


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (("true",), 0, ""),
        (("false",), 1, ""),
        (("sh", "-c", "exit 7"), 7, ""),
        (("sh", "-c", "foo"), 127, "sh: foo: not found\n"),
        (("sh", "-c", "/etc/passwd"), 126, "sh: /etc/passwd: Permission denied\n"),
        (("sh", "-ec", "false; echo never"), 1, ""),
        (("sh", "-c", "echo 'open"), 2, "sh: syntax error: unterminated quoted string\n"),
        (("sh", "-c", "fi"), 2, 'sh: syntax error: unexpected "fi"\n'),
        (("sh", "-c", "true && sleep 1 &"), 2, "sh: only single commands are simulated in the background\n"),
        (("sh", "-c", "echo $((1/0))"), 2, "sh: divide by zero\n"),
        (("cat", "/nope"), 1, "cat: can't open '/nope': No such file or directory\n"),
        (("ls", "--unknown"), 1, "ls: unrecognized option '--unknown'\n"),
        (
            ("foo",),
            127,
            f'{RUNTIME}: exec: "foo": executable file not found in $PATH: unknown\n',
        ),
        (
            ("/nope/foo",),
            127,
            f'{RUNTIME}: exec: "/nope/foo": stat /nope/foo: no such file or directory: unknown\n',
        ),
        (
            ("/etc/passwd",),
            126,
            f'{RUNTIME}: exec: "/etc/passwd": permission denied: unknown\n',
        ),
    ],
)
async def test_how_commands_end(words: tuple[str, ...], code: int, complaint: str):
    found, _, err = await Container().run(*words)
    assert (found, err) == (code, complaint)


async def test_files_stay_from_command_to_command():
    container = Container()
    await container.sh("echo kept > /root/note; rm /bin/tar")
    assert (await container.run("cat", "/root/note"))[1] == "kept\n"
    assert (await container.run("tar", "cf", "-", "/etc"))[0] == 127


async def test_a_full_disk_and_a_read_only_one_refuse():
    small = Container(limit_bytes=4096)
    code, _, err = await small.sh("seq 2000 > /tmp/many")
    assert code == 1
    assert "No space left on device" in err
    assert (await small.sh("rm -f /tmp/many; echo little > /tmp/few; cat /tmp/few"))[1] == "little\n"
    small.tree.read_only = True
    assert "Read-only file system" in (await small.sh("echo x > /tmp/more"))[2]


async def test_images_without_a_shell_or_bash_have_none():
    assert (await Container("registry.k8s.io/pause:3.10").run("sh"))[0] == 127
    assert (await Container("alpine:3").run("bash"))[0] == 127
    assert (await Container("debian:12").run("bash", "-c", "echo hi"))[1] == "hi\n"


@pytest.mark.parametrize(
    "script",
    [
        "while true; do :; done",
        "for i in 1 2; do while :; do true; done; done",
        "echo 'sh /tmp/again' > /tmp/again; sh /tmp/again",
        "a=x; while true; do a=$a$a; done",
        "while true; do echo x; done | head -n 1",
        "eval 'while :; do eval :; done'",
        "mkdir -p /a; ln -s /a/b /a/c; ln -s /a/c /a/b; cat /a/b",
        "$(" * 60 + "echo" + ")" * 60,
        "((((" * 30,
    ],
)
async def test_what_never_ends_is_ended(script: str):
    code, _, _ = await Container().sh(script)
    assert code != 0 or "head" in script


async def test_what_is_on_its_way_has_a_limit_and_is_given_back():
    container = Container()
    assert (await container.run("wc", "-c", client=Client(*[b"x" * (1 << 20)] * 5)))[2] == "wc: Cannot allocate memory\n"
    assert (await container.sh("i=0; while [ $i -lt 200 ]; do i=$((i+1)); seq 9999 | tail -1 > /dev/null; a=$(seq 99); done"))[0] == 0
    assert container.memory.used_bytes == 0


async def test_commands_come_in_line_by_line_and_share_their_input_with_programs():
    client = Client(b"echo one\nif true\nthen echo two; fi\ncat\nthis is ", b"for cat\n")
    assert await Container().run("sh", client=client) == (0, "one\ntwo\nthis is for cat\n", "")
    assert (await Container().run("sh", client=Client(b"exit 4\necho never\n")))[0] == 4


@pytest.mark.parametrize(
    ("before", "said", "after"),
    [
        ("644", "0", "----------"),
        ("644", "7", "-------rwx"),
        ("644", "+x", "-rwxr-xr-x"),
        ("755", "-x", "-rw-r--r--"),
        ("644", "g+w", "-rw-rw-r--"),
        ("644", "u+x,go-r", "-rwx------"),
        ("644", "a=rX", "-r--r--r--"),
        ("744", "go=u", "-rwxrwxrwx"),
        ("640", "o=g-w", "-rw-r--r--"),
    ],
)
async def test_modes_are_said_in_octal_or_as_changes(before: str, said: str, after: str):
    _, out, _ = await Container().sh(f"echo a > /f; chmod {before} /f; chmod {said} /f; ls -l /f")
    assert out.split()[0] == after


async def test_what_is_below_is_changed_with_it_where_that_is_said():
    container = Container()
    _, out, _ = await container.sh("mkdir -p /a/b; echo > /a/b/f; chmod -R go-rx /a; chown -R 7:8 /a; ls -ln /a/b")
    assert out.splitlines()[-1].split()[:4] == ["-rw-------", "1", "7", "8"]
    assert await container.sh("chmod 9 /a") == (1, "", "chmod: invalid mode '9'\n")


async def test_many_numbers_are_counted():
    assert (await Container().sh("seq 1 200000 | tail -n 1"))[1] == "200000\n"


async def test_directories_are_made_as_deep_as_a_path_leads():
    container = Container()
    deep = "/deep" + "/d" * 1900
    assert await container.sh(f"mkdir -p {deep}; echo a > {deep}/f; cat {deep}/f; rm -rf /deep; ls -d /deep") == (
        1,
        "a\n",
        "ls: /deep: No such file or directory\n",
    )


async def test_tar_packs_and_unpacks_and_keeps_to_its_directory():
    container = Container()
    packer = Client()
    await container.sh("mkdir -p /src/sub; echo a > /src/a; echo b > /src/sub/b; ln -s a /src/l")
    await container.run("tar", "cf", "-", "/src", client=packer)
    endless = Client(packer.out)
    endless.typed = asyncio.Queue()
    endless.typed.put_nowait(packer.out)  # and no end: the archive has one of its own
    assert (await container.sh("mkdir /dst"))[0] == 0
    assert await container.run("tar", "-xmf", "-", "-C", "/dst", client=endless) == (0, "", "")
    assert (await container.sh("cat /dst/src/a /dst/src/sub/b; readlink /dst/src/l"))[1] == "a\nb\na\n"
    assert (await container.run("tar", "xf", "-", "-C", "/dst", client=Client(b"no archive at all" * 100)))[0] == 1
    assert (await container.run("tar", "xf", "-", "-C", "/none", client=Client(packer.out)))[0] == 1


@pytest.mark.parametrize(
    ("path", "name"), [("/tmp/../src/a", "src/a"), ("../src/a", "src/a"), ("x/../../src/a", "src/a"), ("src/./a", "src/./a"), ("/", ".")]
)
async def test_names_in_archives_lead_nowhere_else(path: str, name: str):
    container = Container()
    await container.sh("mkdir -p /src /x; echo a > /src/a")
    assert (await container.sh(f"cd /; tar cf /tmp/archive {path}; tar tf /tmp/archive | head -n 1"))[1].rstrip("/\n") == name


@pytest.mark.parametrize("script", ["wc -c", "sort", "base64", "hexdump -C", "awk '{print $1}'", "touch", "chmod 700", "chown 1", "tee"])
async def test_a_program_says_which_file_it_is_about(script: str):
    assert (await Container().sh(f"{script} /nope/x"))[2] == f"{script.split(maxsplit=1)[0]}: /nope/x: No such file or directory\n"


async def test_archives_are_zipped_and_unzipped():
    container = Container()
    packer = Client()
    await container.sh("mkdir /src; seq 5000 > /src/a")
    await container.run("tar", "zcf", "-", "/src", client=packer)
    with tarfile.open(fileobj=io.BytesIO(packer.out), mode="r:gz") as packed:
        assert packed.getnames() == ["src", "src/a"]
    endless = Client(packer.out)
    endless.typed = asyncio.Queue()
    endless.typed.put_nowait(packer.out)  # and no end, as above
    assert await container.run("tar", "xzf", "-", "-C", "/tmp", client=endless) == (0, "", "")
    assert (await container.sh("tail -n 1 /tmp/src/a"))[1] == "5000\n"
    assert (await container.sh("tar czf /tmp/a.tgz src; tar tf /tmp/a.tgz; rm -r src; tar xf /tmp/a.tgz; wc -l src/a"))[1] == (
        "src/\nsrc/a\n5000 src/a\n"
    )
    for broken in (packer.out[:-9], packer.out[:50], b"no archive", b""):
        assert await container.run("tar", "xzf", "-", client=Client(broken)) == (1, "", "tar: invalid tar magic\n")


async def test_a_terminal_echoes_edits_and_interrupts():
    client = Client(tty=True)
    running = asyncio.create_task(Container().run("sh", client=client))
    await client.until(b"/ # ")
    client.typed.put_nowait(b"echo wrogn\x7f\x7fng\r")
    await client.until(b"\r\nwrong\r\n/ # ")
    client.typed.put_nowait(b"sleep 1000\r")
    await client.until(b"sleep 1000\r\n")
    await turn()
    client.typed.put_nowait(b"\x03")
    await client.until(b"^C\r\n/ # ")
    client.typed.put_nowait(b"\x1b[A\x1b[A\x15exit 9\r")
    assert (await running)[0] == 9


async def test_what_runs_at_a_terminal_by_itself_is_interrupted_too():
    client = Client(tty=True)
    running = asyncio.create_task(Container().run("sleep", "1000", client=client))
    client.typed.put_nowait(b"\x03")
    assert (await running)[0] == INTERRUPTED


async def test_a_terminal_takes_no_more_than_it_can_hold():
    given: asyncio.Queue[bytes] = asyncio.Queue()
    said: list[bytes] = []

    async def write(data: bytes) -> None:
        said.append(data)

    terminal = Terminal(Streams(given.get, write, write))
    for piece in (b"x" * 1000, b"\xff\xfe", "é\r".encode(), b""):
        given.put_nowait(piece)
    await terminal.run()
    assert (await terminal.streams.read()).endswith("é\n".encode())
    assert await terminal.streams.read() == b""


async def test_the_first_process_ends_if_it_is_asked_to():
    container = Container()
    assert (await container.sh("kill -9 1; kill 2"))[0] == 1
    assert container.killed == []
    await container.sh("kill 1")
    assert container.killed == [0]


@pytest.mark.parametrize(
    ("script", "says", "complains"),
    [
        ("dd if=/dev/zero bs=4 count=3 status=none | wc -c", "12\n", ""),
        (
            "dd if=/dev/random of=/tmp/r bs=1K count=200; wc -c < /tmp/r",
            "204800\n",
            "200+0 records in\n200+0 records out\n204800 bytes copied\n",
        ),
        ("printf abcdef | dd bs=4", "abcdef", "1+1 records in\n1+1 records out\n6 bytes copied\n"),
        ("printf abcdef > a; dd if=a of=b bs=1 skip=1 count=3 status=none; cat b", "bcd", ""),
        ("printf abcdef > a; printf XY | dd of=a bs=1 seek=2 conv=notrunc status=none; cat a", "abXYef", ""),
        ("printf ab > a; printf XY | dd of=a bs=1 seek=3 status=none; wc -c < a", "5\n", ""),
        ("dd if=/nope", "", "dd: can't open '/nope': No such file or directory\n"),
        ("dd of=/tmp/r bs=x", "", "dd: invalid number 'x'\n"),
        ("dd nonsense", "", "dd: unrecognized operand 'nonsense'\n"),
        ("dd if=/dev/zero of=/tmp/full", "", "dd: Cannot allocate memory\n"),
        ("dd if=/dev/zero of=/tmp/full bs=1M count=2", "", "dd: writing '/tmp/full': No space left on device\n"),
        ("dd if=/dev/zero of=/tmp/full bs=1G count=999999999", "", "dd: Cannot allocate memory\n"),
        ("printf x | dd of=/tmp/full bs=1G seek=999999999", "", "dd: Cannot allocate memory\n"),
    ],
)
async def test_blocks_are_copied(script: str, says: str, complains: str):
    code, out, err = await Container().sh(script)
    assert (out, err) == (says, complains)
    assert code == (1 if complains.startswith("dd:") else 0)


async def test_what_looks_like_chance_is_not_the_same_everywhere():
    container = Container()
    _, out, _ = await container.sh("for n in 1 2; do dd if=/dev/urandom bs=1k count=100 status=none | sha256sum; done")
    assert len(set(out.split())) == 3, "not even at one moment"
    _, blocks, _ = await container.sh(
        "dd if=/dev/urandom of=r bs=64k count=2 status=none; for n in 0 1; do dd if=r bs=64k skip=$n count=1 status=none | sha256sum; done"
    )
    assert len(set(blocks.split())) == 3, "no block comes again"
