"""What a container knows of itself, by all that programs are asked."""

import pytest

from tests.nodes.shell.container import Container


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("id -un; id --user --name; id -gn; id -Gn; id -ru; id -u root; id root",
         "root\nroot\nroot\nroot\n0\n0\nuid=0(root) gid=0(root) groups=0(root)\n"),
        ("date -d @5 +%s; date --date='1970-01-02' +%s; date -d '2020-01-02 03:04:05' -Iseconds", "5\n86400\n2020-01-02T03:04:05+00:00\n"),
        ("date -u -d @0 -I; date -d @0 -Ih; date -d @0 --iso-8601=minutes; date -d @0 --rfc-3339=seconds; date -d @0 -R",
         "1970-01-01\n1970-01-01T00+00:00\n1970-01-01T00:00+00:00\n1970-01-01 00:00:00+00:00\nThu, 01 Jan 1970 00:00:00 +0000\n"),
        ("date -d yesterday +%F; date -d '2 hours ago' +%H; date -d '+1 day' +%d; date +%Y -u", "2025-12-31\n22\n02\n2026\n"),
        ("touch -d @7 /tmp/f; date -r /tmp/f +%s; date --reference=/tmp/f +%M", "7\n00\n"),
        ("hostname --short; uname --nodename; uname -pi; uname -mo; nproc --all; nproc --ignore=6; nproc --ignore 99",
         "web-1\nweb-1\nunknown unknown\nx86_64 GNU/Linux\n8\n2\n1\n"),
        ("ps aux | head -n1; ps -ef | wc -l; kill -s 0 -- 1; kill -0 1; sysctl -e no.such", "PID   USER     TIME  COMMAND\n3\n"),
        ("printf abc | dd conv=notrunc,fsync status=noxfer 2>&1", "abc0+1 records in\n0+1 records out\n"),
    ],
)  # fmt: skip
async def test_what_they_tell(script: str, says: str):
    code, out, err = await Container().sh(script)
    assert (out, code, err) == (says, 0, "")


@pytest.mark.parametrize(
    ("script", "complains"),
    [
        ("id nobody", "id: 'nobody': no such user\n"),
        ("id -n", "id: cannot print only names or real IDs in default format\n"),
        ("date -d someday", "date: invalid date 'someday'\n"),
        ("date 01020304", "date: invalid date '01020304'\n"),
        ("date -s now", "date: invalid option -- 's'\n"),
        ("hostname other", "hostname: sethostname: Operation not permitted\n"),
        ("uname -x", "uname: invalid option -- 'x'\n"),
        ("ps -o pid", "ps: only a list of all processes is simulated here\n"),
        ("nproc -a", "nproc: invalid option -- 'a'\n"),
        ("sysctl -w a=b", "sysctl: invalid option -- 'w'\n"),
        ("dd conv=ucase", "dd: invalid conversion: 'ucase'\n"),
        ("dd status=loud", "dd: invalid status level: 'loud'\n"),
        ("whoami -x", "whoami: invalid option -- 'x'\n"),
    ],
)
async def test_what_they_refuse(script: str, complains: str):
    assert await Container().sh(script) == (1, "", complains)
