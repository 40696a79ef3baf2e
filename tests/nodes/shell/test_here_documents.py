"""What scripts give to commands that stands below them: here-documents, and words (``<<<``)."""

import asyncio

import pytest

from tests.nodes.shell.container import Client, Container


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ('cat <<EOF\n$COLOUR \\$x `echo b` $(echo c "d") "q" \'r\' \\\\ \\z\nEOF\necho end', "blue $x b c d \"q\" 'r' \\ \\z\nend\n"),
        ("cat <<'EOF'\na $COLOUR `echo b`\n\\\\\nEOF", "a $COLOUR `echo b`\n\\\\\n"),
        ('cat <<\\EOF; cat <<"E F"\n$COLOUR\nEOF\n$COLOUR\nE F', "$COLOUR\n$COLOUR\n"),
        ("cat <<-EOF\n\t\ta\n\tb $COLOUR\n\tEOF\necho end", "a\nb blue\nend\n"),
        ("cat <<A; cat <<B\n1\nA\n2\nB\n", "1\n2\n"),
        ("cat <<A <<B\n1\nA\n2\nB\n", "2\n"),
        ("cat << EOF | sort && echo ok\nb\na\nEOF\necho end", "a\nb\nok\nend\n"),
        ("cat <<EOF &&\nx\nEOF\necho y", "x\ny\n"),
        ("while read a b; do echo $b-$a; done <<EOF\n1 2\n3 4\nEOF", "2-1\n4-3\n"),
        ("f() { cat <<EOF\n$1\nEOF\n}\nf x; f y", "x\ny\n"),
        ("for i in 1 2; do cat <<EOF; done\nn $i\nEOF\n", "n 1\nn 2\n"),
        ("{ read a; read b; echo $b$a; } <<EOF\n1\n2\nEOF\n", "21\n"),
        ("case a in a) cat <<EOF ;; esac\nin case\nEOF", "in case\n"),
        ('x=$(cat <<EOF\nhi $COLOUR\nEOF\n)\necho "[$x]"', "[hi blue]\n"),
        ("cat <<EOF > /f; cat /f\n${x:-d e} ${#COLOUR} $((1+2))\nEOF\n", "d e 4 3\n"),
        ("sh <<EOF\necho inner $COLOUR \\$0\nEOF", "inner blue sh\n"),
        ("cat > /s <<'EOF'\n#!/bin/bash\nread x <<< \"a b\"\necho $x $1\nEOF\nchmod +x /s; /s c", "a b c\n"),
        ("cat <<EOF\nnever ends", "never ends"),
        ("cat <<EOF", ""),
        ("ls /nope &> /f; wc -l < /f", "1\n"),
        ("echo $'a\\tb\\'c' \"$'x'\"", "a\tb'c $'x'\n"),
    ],
)
async def test_commands_read_what_stands_below_them(script: str, says: str):
    assert await Container().sh(script) == (0, says, "")


async def test_bash_gives_words_to_commands():
    script = 'cat <<< "a  b"; read x y <<< "1 2"; echo $y; while read l; do echo -$l; done <<<$\'c\\nd\''
    assert await Container().run("bash", "-c", script) == (0, "a  b\n2\n-c\n-d\n", "")
    assert (await Container().sh("cat <<< a"))[0] == 2


@pytest.mark.parametrize("script", ["cat <<EOF\n$(echo\nEOF\necho no", "cat <<EOF\n${x\nEOF\necho no"])
async def test_what_is_wrong_within_is_told(script: str):
    code, said, complaint = await Container().sh(script)
    assert (code, said) == (2, "")
    assert "syntax error" in complaint


async def test_commands_that_come_in_are_read_up_to_the_end_of_what_they_are_given():
    client = Client(b"cat <<EOF\na\nb\nEOF\necho c\ncat <<X\nlast")
    assert await Container().run("sh", client=client) == (0, "a\nb\nc\nlast", "")
    assert await Container().run("sh", client=Client(b"echo 'a\n")) == (2, "", "sh: syntax error: unterminated quoted string\n")


async def test_at_a_terminal_more_is_asked_for_until_the_end_is_typed():
    client = Client(tty=True)
    running = asyncio.create_task(Container().run("sh", client=client))
    await client.until(b"/ # ")
    for typed, shown in ((b"cat <<EOF\r", b"> "), (b"one\r", b"> one\r\n> "), (b"EOF\r", b"> EOF\r\none\r\n/ # ")):
        client.typed.put_nowait(typed)
        await client.until(b"\r\n" + shown)
    client.typed.put_nowait(b"exit 3\r")
    assert (await running)[0] == 3


async def test_what_is_given_takes_memory_and_gives_it_back():
    container = Container(memory_bytes=100_000)
    assert (await container.sh("x=$(printf '%0999d' 1); for i in 1 2 3 4 5 6; do x=$x$x; done; cat <<EOF\n$x\nEOF\n"))[0] != 0
    assert container.memory.used_bytes == 0
