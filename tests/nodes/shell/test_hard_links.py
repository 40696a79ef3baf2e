"""Files with several names."""

import pytest

from tests.nodes.shell.container import Container


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo 1 > a; ln a b; echo 2 > a; cat b; stat -c %h a b; [ $(stat -c %i a) = $(stat -c %i b) ] && echo same", "2\n2\n2\nsame\n"),
        ("echo 1 > a; ln a b; echo 2 >> b; wc -l < a; ls -l a | awk '{print $2}'; chmod 600 a; stat -c %a b", "2\n2\n600\n"),
        ("echo 1 > a; ln a b; rm a; cat b; stat -c %h b; echo 3 > a; cat b", "1\n1\n1\n"),
        ("echo 1 > a; echo 2 > b; ln -f a b; cat b; stat -c %h b; mv a c; stat -c %h c b; echo 5 > c; cat b", "1\n2\n2\n2\n5\n"),
        ("echo 1 > a; ln a b; cp a c; echo 2 > a; cat c; stat -c %h c; mv c b; stat -c %h a b", "1\n1\n1\n1\n"),
        ("mkdir d; echo 1 > d/a; ln d/a d/b; mv d e; echo 2 > e/a; cat e/b; stat -c %h e/a; rm -r e; ls", "2\n2\n"),
        ("mkdir d; ln d x 2>&1; ln nope x 2>&1; ln -s nope s; echo a > f; ln f f 2>&1",
         "ln: d: hard link not allowed for directory\nln: nope: No such file or directory\nln: f: File exists\n"),
        ("ln /etc/group g; stat -c %h g; rm g; stat -c %h /etc/group", "2\n1\n"),
    ],
)  # fmt: skip
async def test_what_hard_links_do(script: str, says: str):
    assert (await Container().sh(f"cd $(mktemp -d); {script}"))[1] == says


async def test_a_file_takes_its_space_once_and_until_its_last_name_is_gone():
    container = Container()
    free = container.tree.disk.left_bytes
    make = "mkdir /tmp/d /tmp/e; head -c 400000 /dev/zero > /tmp/d/a; "
    assert (await container.sh(f"{make}for n in 1 2 3 4; do ln /tmp/d/a /tmp/d/$n; done; ln /tmp/d/a /tmp/e/x"))[0] == 0
    assert 400_000 < free - container.tree.disk.left_bytes < 410_000
    await container.sh("mv /tmp/d /tmp/c; mv /tmp/c/1 /tmp/c/2; rm /tmp/c/a")
    assert 400_000 < free - container.tree.disk.left_bytes < 410_000
    await container.sh("rm -r /tmp/c")
    assert 400_000 < free - container.tree.disk.left_bytes < 410_000
    await container.sh("rm -r /tmp/e")
    assert container.tree.disk.left_bytes == free
