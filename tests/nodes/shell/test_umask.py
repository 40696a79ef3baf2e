"""What new files and directories go without: beside the real shells and programs, what is printed was the same."""

import pytest

from tests.nodes.shell.container import Container


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("umask; umask -S; umask 077; umask; umask -S; umask u=rwx,g=rx,o=; umask; umask g+w; umask; umask 7; umask",
         "0022 u=rwx,g=rx,o=rx 0077 u=rwx,g=,o= 0027 0007 0007"),
        ("umask 07777; umask; umask 22 33; umask; umask +w; umask; umask a-x; umask; umask =r; umask; umask u=rwx,g=,o=; umask",
         "0777 0022 0000 0111 0333 0077"),
        ("umask 077; touch a; mkdir -p d/e/f; echo > g; echo >> h; stat -c %a a d d/e d/e/f g h", "600 700 700 700 600 600"),
        ("umask 777; mkdir -p q/r; stat -c %a q; umask 27; mkdir -m +w z; mkdir -m =rw y; mkdir -m g=u x; stat -c %a z y x",
         "300 777 640 777"),
        ("touch a; chmod 777 a; cp a b; cp -p a c; mkdir d; chmod 777 d; cp -r d e; umask 77; cp a f; stat -c %a b c e f",
         "755 777 755 700"),
        ("umask 26; echo 1 | tee a > b; sort -o c a; uniq a d; dd if=a of=e 2>/dev/null; stat -c %a a b c d e; echo 2 > b; stat -c %a b",
         "640 640 640 640 640 640"),
        ("umask 77; echo > a; umask 22; echo > a; stat -c %a a", "600"),
        ("(umask 0); umask; umask 77; sh -c umask; env sh -c umask; x=$(umask 1; umask); echo $x; umask", "0022 0077 0077 0001 0077"),
        ("umask 77; printf 'echo > n; umask' > s; sh s; f() { umask 7; }; f; umask; stat -c %a n", "0077 0007 600"),
        ("umask 77; echo a | xargs touch; env cp a b; stat -c %a a b", "600 600"),
        ("touch f; chmod 0 f; chmod +rwx f; stat -c %a f; chmod =rw f; stat -c %a f; chmod +w f; stat -c %a f", "755 644 644"),
        ("touch f; umask 77; chmod =rwx f; stat -c %a f; umask 0; chmod =u f; stat -c %a f; umask 22; chmod a=rw f; stat -c %a f",
         "700 777 666"),
    ],
)  # fmt: skip
async def test_what_files_go_without(shell: str, script: str, says: str):
    code, out, complaint = await Container().run(shell, "-c", f"cd $(mktemp -d); {script}")
    assert (out.split(), code, complaint) == (says.split(), 0, "")


@pytest.mark.parametrize(
    ("shell", "script", "ends"),
    [
        ("sh", "umask 9", (2, "", "sh: umask: Illegal number: 9\n")),
        ("sh", "umask q=3", (2, "", "sh: umask: Illegal mode: q=3\n")),
        ("sh", "umask -p", (2, "", "sh: umask: Illegal option -p\n")),
        ("sh", "umask -S 027; umask", (0, "0027\n", "")),
        ("bash", "umask 99", (1, "", "bash: umask: Illegal number: 99\n")),
        ("bash", "umask -S 027; umask -p; umask -pS", (0, "u=rwx,g=rx,o=\numask 0027\numask -S u=rwx,g=rx,o=\n", "")),
    ],
)
async def test_what_the_shells_differ_in(shell: str, script: str, ends: tuple[int, str, str]):
    assert await Container().run(shell, "-c", script) == ends
