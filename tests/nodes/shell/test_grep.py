"""What ``grep`` finds, by which options: beside the real one, it was the same."""

import pytest

from tests.nodes.shell.container import Container

_MADE = r"cd $(mktemp -d); printf 'a|b\na\nb\nAB\nfoo bar\nbarfoo\n' > f; echo a > g; mkdir d; echo a > d/x; echo b > d/y; "


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("'a|b' f", "a|b\n"),
        (r"'a\|B' f", "a|b\na\nAB\nfoo bar\nbarfoo\n"),
        ("-E '^a$|^b$' f", "a\nb\n"),
        ("-E '[|]' f", "a|b\n"),
        ("-w foo f", "foo bar\n"),
        ("-w '|b' f; echo '/data x' | grep -w /data; echo x/data | grep -cw /data; true", "/data x\n0\n"),
        ("-wo bar f", "bar\n"),
        ("-x a f", "a\n"),
        ("-Fx 'a|b' f", "a|b\n"),
        ("-c a f", "4\n"),
        ("-c a f g", "f:4\ng:1\n"),
        ("-m1 -n a f", "1:a|b\n"),
        ("-m 2 -c a f", "2\n"),
        ("-e foo -e AB f", "AB\nfoo bar\nbarfoo\n"),
        ("-ie ab f -e '^foo'", "AB\nfoo bar\n"),
        ("-l a f g nope 2>/dev/null; echo $?; grep -L b f g", "f\ng\n2\ng\n"),
        ("-vH a f", "f:b\nf:AB\n"),
        ("-vc a f", "2\n"),
        ("-no b f", "1:b\n3:b\n5:b\n6:b\n"),
        ("-o -e a -e b g d/y", "g:a\nd/y:b\n"),
        (r"'\bfoo' f", "foo bar\n"),
        (r"'foo\b' f", "foo bar\nbarfoo\n"),
        (r"'\w\s' f", "foo bar\n"),
        (r"-E '\<bar|AB\>' f", "AB\nfoo bar\nbarfoo\n"),
        ("-A1 '^a$' f", "a\nb\n"),
        ("-nB1 foo f", "4-AB\n5:foo bar\n6:barfoo\n"),
        ("-C 1 -e '^b$' f -e barfoo", "a\nb\nAB\nfoo bar\nbarfoo\n"),
        ("-A0 -e '^a$' -e barfoo f", "a\n--\nbarfoo\n"),
        ("-B1 -e '^a$' -e barfoo f", "a|b\na\n--\nfoo bar\nbarfoo\n"),
        ("-m1 -A1 a f", "a|b\na\n"),
        ("-r a d", "d/x:a\n"),
        ("-rl '^a$'", "d/x\nf\ng\n"),
        ("-rl '^a$' . --include='?' --exclude-dir=d", "./f\n./g\n"),
        ("-rh a d", "a\n"),
        ("-r a g", "a\n"),
        ("-rc a d --exclude=y", "d/x:1\n"),
        ("-nH a g", "g:1:a\n"),
        ("-s a nope; echo $?; echo a | grep -H a; grep -hq a nope g 2>/dev/null; echo $?", "2\n(standard input):a\n0\n"),
        ("-f d/x g; echo $?; grep -f /dev/null g; echo $?", "a\n0\n1\n"),
        ("--count --ignore-case --regexp=ab f; grep --quiet a f; echo $?; grep --color=auto -a x d/x; echo $?", "1\n0\n1\n"),
        ("'*a' g; echo '*a' | grep '*a'; echo +a | grep +a; echo a.+b | grep 'a.+b'; echo ab | grep -c 'a.+b'; true", "*a\n+a\na.+b\n0\n"),
        ("-F . f; echo a.b | grep -F .; echo -- -- | grep -- '-- -'", "a.b\n-- --\n"),
        (
            r"-E '^(a|b)+$' f; echo 10.1.2.3 | grep -E '^([0-9]{1,3}\.){3}[0-9]{1,3}$'; echo 1.2 | grep -oE '[0-9]+(\.[0-9]+)*'",
            "a\nb\n10.1.2.3\n1.2\n",
        ),
        (r"-E '(\w+\s*)+r$' f; echo x.foo.com | grep -oiE '([A-Z]+\.)+[a-z]{2,}'", "foo bar\nx.foo.com\n"),
        (
            "-oE 'fo|foo|foo b' f; echo abcd | grep -oE '(a|ab)(c|bcd)?'; echo aab | grep -oE 'a?(ab)?'; echo aab | grep -o 'a*\\(ab\\)*'",
            "foo b\nfoo\nabcd\naab\naab\n",
        ),
        (
            r"-xE '(b|a|f|o|r)*' f; echo ABAB | grep -ixE '(ab)+'; echo 'x ab-ab y' | grep -owE '(ab-?)+'; echo xab | grep -cwE '(ab)+'",
            "a\nb\nbarfoo\nABAB\nab-ab\n0\n",
        ),
        (
            r"-oE '\<([a-z]+)+\>' f; echo ab_1, | grep -oE '\b([a-z]+_?)+[0-9]\b'; echo 'a a' | grep -c '\(\<a\> \?\)\{2\}'",
            "a\nb\na\nb\nfoo\nbar\nbarfoo\nab_1\n1\n",
        ),
        (
            "-E 'o{2}*b' f; echo aaa | grep -oE 'a{,2}'; echo 'a  b' | grep -w ''; echo ab | grep -cw ''; true",
            "a|b\nb\nfoo bar\nbarfoo\naa\na\na  b\n0\n",
        ),
        ("-c '' f; grep -xc '' f; printf 'a\\n\\n' | grep -xn ''", "6\n0\n2:\n"),
    ],
)
async def test_what_it_finds(arguments: str, says: str):
    _, out, err = await Container().sh(f"{_MADE}grep {arguments}")
    assert (out, err) == (says, "")


@pytest.mark.parametrize(
    ("arguments", "complains"),
    [
        ("", "grep: usage: grep PATTERN [FILE]...\n"),
        ("-P a g", "grep: invalid option -- 'P'\n"),
        ("-z a g", "grep: invalid option -- 'z'\n"),
        ("--perl a g", "grep: unrecognized option '--perl'\n"),
        ("-A x a g", "grep: x: invalid context length argument\n"),
        ("--color=always a g", "grep: colours aren't simulated here\n"),
    ],
)
async def test_what_it_refuses(arguments: str, complains: str):
    assert await Container().sh(f"{_MADE}grep {arguments}") == (2, "", complains)


@pytest.mark.parametrize(
    ("arguments", "complains"),
    [
        (r"'\(a' g", "Unmatched ( or \\\\("),
        ("-E '(a' g", "Unmatched ( or \\\\("),
        ("-E 'a)' g", "Unmatched ) or \\\\)"),
        ("'[' g", "Unmatched [, [^, [:, [., or [="),
        ("-v '[a-' g", "Unmatched [, [^, [:, [., or [="),
        ("'[b-a]' g", "Invalid range end"),
        ("-q '[[:foo:]]' g", "Invalid character class name"),
        ("-E 'a{2,1}' g", "Invalid content of \\\\{\\\\}"),
        (r"'a\' g", "Trailing backslash"),
        (r"'\(a\)\1' g", "\\1 isn't simulated here"),
        (r"'\<.*a' g", "\\< before what may begin with something else than a letter isn't simulated here"),
        ("-E '((a{99}){99}){99}' g", "so large a regular expression isn't simulated here"),
    ],
)
async def test_patterns_that_it_cannot_read_are_no_lines_that_do_not_match(arguments: str, complains: str):
    assert await Container().sh(f"{_MADE}grep {arguments}") == (2, "", f"grep: {complains}\n")


async def test_errors_and_directories_are_told_and_what_is_found_is_said():
    assert await Container().sh(f"{_MADE}grep a g nope") == (2, "g:a\n", "grep: nope: No such file or directory\n")
    assert await Container().sh(f"{_MADE}grep a d") == (2, "", "grep: d: Is a directory\n")
