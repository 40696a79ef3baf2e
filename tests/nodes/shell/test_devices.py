"""What stands in ``/dev``: what it is, what is read from it, and where it goes what is written to it."""

import pytest

from tests.nodes.shell.container import Container


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("stat -c '%F %a %t,%T' /dev/null /dev/urandom; stat -Lc %F /dev/stdout; stat -c %N /dev/stdin",
         "character special file 666 1,3\ncharacter special file 666 1,9\nfifo\n'/dev/stdin' -> '/proc/self/fd/0'\n"),
        ("ls -l /dev/null | cut -c1-10; ls -l /dev/zero | awk '{print $5, $6}'; ls -l /dev/fd/1 | cut -c1", "crw-rw-rw-\n1, 5\np\n"),
        ("for f in null zero full random urandom tty; do [ -e /dev/$f ] && [ -c /dev/$f ] && [ ! -f /dev/$f ] && echo $f; done",
         "null\nzero\nfull\nrandom\nurandom\ntty\n"),
        ("[ -c /etc/passwd ] || echo no; [ -p /dev/stdin ] && [ -L /dev/stdin ] && echo yes", "no\nyes\n"),
        ("find /dev -type c | sort | head -n 2; find /dev -type f", "/dev/full\n/dev/null\n"),
        ("head -c 32 /dev/urandom | base64 | wc -c", "45\n"),
        ("head -n 3 /dev/urandom | wc -l; head -c 200000 /dev/zero | wc -c; head -c 5 < /dev/zero | wc -c", "3\n200000\n5\n"),
        ("PW=$(tr -dc A-Za-z0-9 </dev/urandom | head -c 16); echo ${#PW}; cat /dev/urandom | tr -dc a-z | head -c 9 | wc -c", "16\n9\n"),
        ("cat /dev/zero | head -c 5 | wc -c; tr '\\0' x < /dev/zero | head -c 3", "5\nxxx"),
        ("echo a > f; cp /dev/null f; wc -c < f; : > /dev/null; cat /dev/null; echo x > /dev/zero; cat < /dev/null", "0\n"),
        ('head -c 8 /dev/urandom > a; head -c 8 /dev/urandom > b; cmp=$(cat a | md5sum); [ "$cmp" != "$(cat b | md5sum)" ] && echo other',
         "other\n"),
        ("echo y > /dev/fd/1; echo z >> /proc/self/fd/1; (echo e > /dev/stderr) 2>&1; echo in | cat /dev/fd/0; cat < /dev/stdin",
         "y\nz\ne\nin\n"),
        ("ln -sf /dev/stdout o; echo out >> o; echo more > o; readlink o; { echo in > o; } > f; cat f", "out\nmore\n/dev/stdout\nin\n"),
        ("ln -s /dev/stderr e; echo err > e; echo out", "out\n"),
        ("ln -s /dev/fd/1 o; ln -s o p; echo a | tee p; cp f o 2>/dev/null; echo b > g; cp g o; dd if=g of=o status=none; sort -o o g",
         "a\na\nb\nb\nb\n"),
        ("ln -s there l; echo a > l; cat there; readlink l; mkdir d; ln -s ../x d/l; echo b > d/l; cat x", "a\nthere\nb\n"),
        ("cp -a /dev/null n; stat -c %F n; echo x > n; wc -c < n; rm n; ls n 2>/dev/null", "character special file\n0\n"),
        ("echo x > /dev/full; echo $?; : > /dev/full; echo $?; cp /etc/group /dev/full; echo $?", "1\n0\n1\n"),
        ("echo x > /dev/tty; echo $?; echo x > /dev/fd/7; echo $?", "1\n1\n"),
        ("md5sum /dev/zero; echo $?; wc -c < /dev/zero; echo $?; cp /dev/zero f; echo $?", "1\n1\n1\n"),
    ],
)  # fmt: skip
async def test_what_devices_do(script: str, says: str):
    assert (await Container().sh(f"cd $(mktemp -d); {script}"))[1] == says


async def test_a_full_device_says_so():
    assert await Container().sh("echo x > /dev/full") == (1, "", "echo: No space left on device\n")


@pytest.mark.parametrize("script", ["cat /dev/zero > /dev/null", "cat /dev/zero > f", "tr -d '\\0' < /dev/zero"])
async def test_who_reads_on_without_an_end_is_ended(script: str):
    assert (await Container().sh(script))[0] != 0


async def test_a_pipe_that_nobody_reads_to_its_end_breaks():
    assert (await Container().run("bash", "-c", "set -o pipefail; cat /dev/zero | head -c 1"))[0] == 141


async def test_the_same_run_has_the_same_chance_again():
    ran = [await Container().sh("head -c 9 /dev/urandom | base64; dd if=/dev/random bs=9 count=1 status=none | base64") for _ in range(2)]
    assert ran[0] == ran[1]
    assert len(set(ran[0][1].split())) == 2
