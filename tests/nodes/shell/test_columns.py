"""Lines that are taken apart, sums of files, and modes, by all that programs are told: beside the real ones, it was the same."""

import pytest

from tests.nodes.shell.container import Container

_MADE = "cd $(mktemp -d); printf 'a:b:c\\nno\\n' > f; "


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("cut -d: -f1,3 --output-delimiter=- f; cut --complement -d: -f2 f; cut --fields=2 --delimiter=: --only-delimited f",
         "a-c\nno\na:c\nno\nb\n"),
        ("cut -c1,3 --output-delimiter=, f; cut -b 2- --complement f; printf '\\303\\251x\\n' | cut -b3; cut -nb1 f",
         "a,b\nn\na\nn\nx\na\nn\n"),
        ("echo abc | tr -t abc x; echo aab | tr -ds a b; echo aab | tr -cs a '-'", "xbc\nb\naa-"),
        ("printf 'A\\na\\nb\\n' | uniq -i; printf 'x 1\\ny 1\\n' | uniq -f1; printf 'xa\\nya\\n' | uniq -s 1 -c",
         "A\nb\nx 1\n      2 xa\n"),
        ("printf 'a1\\na2\\nb\\n' | uniq -w1 --all-repeated; printf 'a\\na\\nb\\n' > g; uniq --count g h; cat h",
         "a1\na2\n      2 a\n      1 b\n"),
        ("rev f; tac -- f", "c:b:a\non\nno\na:b:c\n"),
        ("echo hello | base64 --wrap=4; echo 'aGk*' | base64 -d 2>&1; echo 'aG*k=' | base64 -di; echo; echo aGk= | base64 --decode",
         "aGVs\nbG8K\nbase64: invalid input\nhi\nhi"),
        ("md5sum f > s; md5sum -c s; echo x >> f; md5sum --check s 2>&1; echo $?; md5sum --status -c s; echo $?",
         "f: OK\nf: FAILED\nmd5sum: WARNING: 1 computed checksum did NOT match\n1\n1\n"),
        ("md5sum f > s; rm f; md5sum -c s 2>/dev/null", "f: FAILED open or read\n"),
        ("sha256sum -b f | cut -c65-; sha256sum f > s; sha256sum --quiet -c s; echo x | sha1sum -c - 2>&1; echo $?",
         " *f\nsha1sum: -: no properly formatted checksum lines found\n1\n"),
        ("chmod -v 600 f; chmod -c 600 f; chmod --verbose 600 f",
         "mode of 'f' changed from 0644 (rw-r--r--) to 0600 (rw-------)\nmode of 'f' retained as 0600 (rw-------)\n"),
        ("mkdir -p d/e; touch d/e/g; chmod -R -x d; stat -c %a d d/e; chmod --recursive u=rwX,go= d; stat -c %a d d/e/g",
         "644\n644\n700\n600\n"),
        ("touch g; chmod 640 g; chmod --reference=g f; stat -c %a f; chown 7:8 g; chown --reference=g f; stat -c %u:%g f", "640\n7:8\n"),
        ("touch g; chmod -f 600 nope g; echo $?; stat -c %a g", "1\n600\n"),
        ("chown -v 7:8 f; chown -c 7 f; ln -s f l; chown -h 9 l; stat -c %u f l", "changed ownership of 'f' from root:root to 7:8\n7\n9\n"),
    ],
)  # fmt: skip
async def test_what_they_do(script: str, says: str):
    _, out, err = await Container().sh(f"{_MADE}{script}")
    assert (out, err) == (says, "")


@pytest.mark.parametrize(
    ("script", "complains"),
    [
        ("cut -f1 -c1 f", "cut: only one list may be specified\n"),
        ("cut -z -f1 f", "cut: invalid option -- 'z'\n"),
        ("cut -f1 nope", "cut: nope: No such file or directory\n"),
        ("tr a b c", "tr: extra operand 'c'\n"),
        ("tr -d a b", "tr: extra operand 'b'\n"),
        ("uniq -z f", "uniq: invalid option -- 'z'\n"),
        ("uniq -f x f", "uniq: x: invalid number\n"),
        ("rev -x f", "rev: invalid option -- 'x'\n"),
        ("tac -r f", "tac: invalid option -- 'r'\n"),
        ("base64 -w x f", "base64: invalid wrap size: 'x'\n"),
        ("base64 f f", "base64: extra operand 'f'\n"),
        ("hexdump -n 1 f", "hexdump: invalid option -- 'n'\n"),
        ("md5sum --tag f", "md5sum: unrecognized option '--tag'\n"),
        ("chmod -H 600 f", "chmod: invalid option -- 'H'\n"),
        ("chown --from=0 7 f", "chown: unrecognized option '--from'\n"),
        ("chmod 600", "chmod: missing operand\n"),
    ],
)
async def test_what_they_refuse(script: str, complains: str):
    assert await Container().sh(f"{_MADE}{script}") == (1, "", complains)
