"""What commands of the simulated shell may take: whatever they are asked for, others have their turn, and memory has a limit.

The figures are those of `tests.turns`; memory is what a process asks of its system.
"""

import asyncio
import tarfile
import tracemalloc
from multiprocessing import forkserver, get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path
from threading import stack_size

import pytest

from svcsim.cluster.process import tune_process
from tests.nodes.shell.container import Client, Container
from tests.turns import MeasuredLoop, tuned, units

DISK_BYTES = 24 * 1024**2
MEMORY_BYTES = 16 * 1024**2

LONG = 'A=aaaaaaaaaaaaaaaa; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do A="$A$A"; done; '
"""A variable of 128 KiB."""
NUMBERS = "seq 100000 > /tmp/f; "
MANY_FILES = "mkdir /tmp/d; cd /tmp/d; touch $(seq 10000 18000); "
LINKS = "mkdir /tmp/l; cd /tmp/l; for i in $(seq 150); do ln -s . l$i; done; "
ALL_AGAIN = ",".join(["$0"] * 60)
EMPTY_LINES = "echo > /tmp/n; for i in $(seq 22); do cat /tmp/n /tmp/n > /tmp/m; mv /tmp/m /tmp/n; done; "
ROW = "dd if=/dev/zero of=/tmp/z bs=1M count=6 status=none; "

SCRIPTS = {
    "printf that says its pattern again and again": LONG + 'printf "$A%s" $(seq 9000) | wc -c',
    "printf of wide fields": f"printf '{'%999s' * 20_000}' x | wc -c",
    "a word of many variables": LONG + f'x="{"$A" * 3000}"; echo "{"$A" * 3000}" | wc -c',
    "a sum of many variables": LONG + f"echo $(({'$A+' * 300}1))",
    "numbers as arguments": "echo $(seq 1000000) | wc -c",
    "awk that prints all again and again": f"printf '%01000d\\n' $(seq 400) > /tmp/f; awk '{{print {ALL_AGAIN}}}' /tmp/f | wc -c",
    "awk of a long line": ROW + "awk '{print $1}' /tmp/z",
    "grep": NUMBERS + "grep -v 7 /tmp/f | wc -l; grep -c 99 /tmp/f",
    "grep for much": LONG + 'for i in 1 2 3 4 5 6 7 8 9; do echo a | grep "$A$i"; done',
    "sort": NUMBERS + "sort -n /tmp/f /tmp/f /tmp/f | tail -n1; sort -rn /tmp/f | tail -n1",
    "ends of a file of nothing but lines": EMPTY_LINES
    + "head -n 1 /tmp/n; tail -n 1 /tmp/n; wc -w /tmp/n; while read x; do break; done < /tmp/n",
    "hexdump": ROW + "hexdump -C /tmp/z",
    "base64": ROW + "base64 /tmp/z > /dev/null",
    "sums of the same file": ROW + f"md5sum {'/tmp/z ' * 40} > /dev/null",
    "an archive of the same file": ROW + f"tar cf - {'/tmp/z ' * 40} > /dev/null",
    "a bomb": ROW + "tar czf /tmp/a /tmp/z; for i in 1 2 3 4 5 6 7 8 9; do tar tzf /tmp/a; done",
    "many in an archive": MANY_FILES + "tar cf /tmp/a . ; tar tf /tmp/a; mkdir /tmp/e; tar xf /tmp/a -C /tmp/e",
    "a pattern through links": LINKS + "ls -d /tmp/l/*/*/* | wc -l",
    "a pattern that finds nothing in many": MANY_FILES + LINKS + "ls -d /tmp/l/*/../../d/zz* | wc -l",
    "patterns that are cut off": "v=$(printf '%04000d' 0); for i in $(seq 40); do x=${v#*1*$i}; done",
    "long patterns that are cut off": LONG + "for i in $(seq 40); do x=${v#*$A$i}; done",
    "find and ls": MANY_FILES + "find / > /dev/null; ls -lR / > /dev/null",
    "copies": MANY_FILES + "cp -r /tmp/d /tmp/e; chmod -R 700 /tmp/e; mv /tmp/e /tmp/g",
    "which": "N=$(seq 3000); PATH=$(printf '/a:%.0s' $N); /usr/bin/which $N",
    "long patterns that are cut off from the end": "v=$(printf '%04000d' 0); p=$(printf '%02000d' 0); "
    "for i in 1 2 3 4; do x=${v#*${p}1}; x=${v%1$p*}; done",
    "a long pattern in a long line": "p=$(printf '%02000d' 0); " + ROW + 'grep -c "${p}1" /tmp/z',
    "many patterns": "seq 10000 | grep -c \"$(printf 'a%s|' $(seq 90))z\"",
    "names of many": MANY_FILES + "for i in 1 2 3; do ls -d /tmp/d/*1*2*3*4*5; find /tmp/d -name '*1*2*3*4*5'; done",
    "long names of none": LONG + "for i in $(seq 60); do echo *$A$i > /dev/null; done",
    "empty lines as commands": EMPTY_LINES.replace("22", "13") + "sh < /tmp/n; cat /tmp/n | sh",
    "lines as commands": "printf 'x=%s\\n' $(seq 9000) > /tmp/g; cat /tmp/g | sh; sh < /tmp/g",
    "lines of one command": '{ echo "\'"; seq 1000; } | sh',
    "a long script": "printf 'x=%s\\n' $(seq 3000) > /tmp/g; cat /tmp/g /tmp/g > /tmp/h; sh /tmp/h; . /tmp/h; eval \"$(cat /tmp/h)\"",
    "links to long paths": "D=$(printf '../%.0s' $(seq 1300)); for i in $(seq 20); do ln -sf /tmp/L$((i+1))/$D /tmp/L$i; done; "
    "ln -sf /tmp /tmp/L21; test -e /tmp/L1",
    "targets of links": LONG + "for i in $(seq 200); do ln -s $A$i /tmp/l$i; done; "
    "D=$(printf '%04000d' 1); for i in $(seq 2000); do ln -s $D /tmp/m$i; done",
    "words of many pieces": 'f=\'"$1"\'; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do f="$f$f"; done; eval ": $f"',
    "functions": LONG + 'for i in $(seq 2000); do eval "f$i() { echo $A; }"; done',
    "functions that call themselves": "f() { f; f; }; f; g() { g & g | g; x=$(g); }; g",
    "jobs": "for i in $(seq 3000); do sleep 0 & true & done; wait",
    "cases": LONG + "for i in $(seq 30); do case $A in *a*b*c*$i*) echo no;; *$A) echo yes;; esac; done",
    "many variables of strange letters": "A=$(printf '\\xf0\\x9f\\x98\\x80%.0s' $(seq 4000)); i=0; "
    'while [ $i -lt 5000 ]; do i=$((i+1)); eval "v$i=\\${A}$i"; done',
    "many subshells with variables": LONG + "for i in $(seq 300); do (x=$A$i); x=$(y=$A$i; echo $i); done; unset x; x=$A",
    "long here-documents": LONG + "for i in $(seq 30); do cat <<A | while read x; do :; done; done\n" + "$A\n" * 5 + "A\n",
    "here-documents that come in": "{ echo 'cat <<A > /dev/null'; seq 1000; } | sh; { echo 'cat <<-A'; seq 1000; } | bash",
    "braces": f"bash -c 'echo {'{a,b}' * 50}'; bash -c 'echo {'{a' * 20_000}{'}' * 20_000}'; bash -c 'echo {{1..1000000000}}'; "
    f"bash -c 'for i in {{1..9000}}; do :; done; echo {'{0..9}' * 3}{{a,b}}'",
    "sums": f"bash -c 'for ((i = 0; i < 9000; i++)); do ((n += i * 2, m = n ** 9)); done; echo $(({'(' * 60}1{')' * 60}))'",
    "columns": NUMBERS + ROW + "cut -c1-3,2- /tmp/f | tr 0-9 a-j | uniq -c | rev | tac | wc; tr -cd 'a-z' < /tmp/z; tr -s '\\0' < /tmp/z; "
    "cut -d. -f1 /tmp/z | wc -c; rev /tmp/z | wc -c",
    "commands for what comes in": NUMBERS
    + "head -c 200000 /tmp/f | xargs -n1 true; xargs -I{} echo {}{}{} < /tmp/f; seq 9000 | xargs echo | wc",
    "regular expressions": "bash -c 'x=$(printf %0900d 1); for i in {1..300}; do [[ $x =~ ^0*1*$i$ ]]; [[ $x =~ 0*$i$ ]]; done'; "
    "bash -c 'x=$(printf %060d 1); for i in {1..30}; do [[ $x =~ ^0*0*0*$i$ ]]; done'",
    "what is repeated in regular expressions": LONG.replace(" 10 11 12 13", "")
    + ROW
    + "bash -c 'for i in {1..99}; do [[ $1 =~ (a*)*b$i ]]; [[ $1 =~ (a|aa|$i)+$i ]]; done' - $A; grep -cE '(a*)*b|(x+)+' /tmp/z; "
    'for i in $(seq 9); do echo "$A" | grep -oE "a(.*b)?$i|(a|aa)"; done | wc -l',
    "large regular expressions": "p=$(printf '(a{999}|[^b]{999})%.0s' $(seq 200)); "
    'for i in $(seq 200); do echo a | grep -E "a{$i}{4}|(b{9}){9}|[^a]{$i}$p"; done; '
    "v=$(printf '%09000d' 0); for i in $(seq 300); do echo $v | grep -cE \"(0|1)*0(0|1){$i}2\"; done",
    "replacements": LONG + "for i in $(seq 20); do x=${A//a/b}; x=${A//aa$i/b}; done; "
    "v=$(printf '%0999d' 0); x=${v//*1/a}; x=${v//0*1$v/a}; x=${v/#*1/a}; x=${v/%1*/a}; x=${A//a/bbbb}",
    "lists": "bash -c 'for i in {1..9000}; do a+=($i); done; a=(\"${a[@]}\" x); for i in 1 2 3; do echo ${a[@]} ${#a[@]}; done | wc -c'; "
    "bash -c 'x=$(seq 9000); for i in {1..9}; do eval \"a$i=(\\$x)\"; done'",
    "much in variables": LONG + 'for i in $(seq 20); do eval "V$i=$A$i"; done',
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
def test_others_have_their_turn(script: str):
    def longest_s() -> float:
        loop = MeasuredLoop()
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(_run(script))
        return loop.longest_s

    with tuned():
        assert units(longest_s, 20.0) < 20.0


@pytest.fixture(scope="module")
def copies() -> ForkServerContext:
    """What makes processes that each begin as a copy of one that has loaded what is tested, and has done nothing."""
    made = get_context("forkserver")
    made.set_forkserver_preload([__name__])
    with pytest.MonkeyPatch.context() as changes:
        changes.setenv("MALLOC_ARENA_MAX", "1")  # else each thread would set aside 64 MiB that it doesn't use
        forkserver.ensure_running()
    return made


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
def test_memory_has_a_limit(copies: ForkServerContext, script: str):
    reader, writer = copies.Pipe(duplex=False)
    process = copies.Process(target=_tell_what_it_takes, args=(writer, script))
    process.start()
    writer.close()
    with reader:
        taken_bytes = reader.recv()
    process.join()
    assert taken_bytes < DISK_BYTES + 2 * MEMORY_BYTES


def test_a_file_with_holes_counts_as_large_as_it_is():
    """Of an archive as ``tar -S`` makes it: of a file of 2 GB there is nothing but its size."""
    holes = tarfile.TarInfo("big")
    holes.type = tarfile.GNUTYPE_SPARSE
    header = bytearray(holes.tobuf(tarfile.GNU_FORMAT))
    header[483:495] = b"%011o\0" % (2 * 1024**3)
    header[148:156] = b"%06o\0 " % (sum(header[:148]) + 8 * 32 + sum(header[156:512]))
    tracemalloc.start()
    try:
        container = Container(limit_bytes=DISK_BYTES, memory_bytes=MEMORY_BYTES)
        client = Client(bytes(header) + bytes(1024))
        code, _, said = asyncio.run(container.run("tar", "xf", "-", "-C", "/tmp", client=client))
        assert (code, said) == (1, "tar: can't open 'big': Cannot allocate memory\n")
        assert tracemalloc.get_traced_memory()[1] < MEMORY_BYTES
        assert container.memory.used_bytes == 0
    finally:
        tracemalloc.stop()


async def _run(script: str) -> None:
    container = Container(limit_bytes=DISK_BYTES, memory_bytes=MEMORY_BYTES)
    await container.sh(script)
    assert container.memory.used_bytes == 0


def _tell_what_it_takes(told: Connection, script: str) -> None:
    """How many bytes a process like a server's needs for a script at most, be they used or set aside."""
    tune_process()
    stack_size(256 * 1024)  # 8 MiB are set aside for each thread otherwise, and how many there are depends on how busy the machine is
    before = _address_space_bytes("VmSize")
    asyncio.run(_run(script))
    told.send(_address_space_bytes("VmPeak") - before)


def _address_space_bytes(figure: str) -> int:
    told = Path("/proc/self/status").read_text()
    return 1024 * int(told.partition(f"{figure}:")[2].split()[0])
