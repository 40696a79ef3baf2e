"""Programs that take lines apart, start others, and tell of files."""

import pytest

from tests.nodes.shell.container import START_S, Container


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("printf 'a:b:c\\nno\\nd::f\\n' > f; cut -d: -f2 f; cut -d: -f1,3- f; cut -sd: -f2- f; cut -c2-3 f",
         "b\nno\n\na:c\nno\nd:f\nb:c\n:f\n:b\no\n::\n"),
        ("echo 'a b  c' | cut -d' ' -f3; printf 'a\\tb\\n' | cut -f2; echo ab | cut -b1", "\nb\na\n"),
        ("echo 'Hello  12' | tr 'a-z' 'A-Z'; echo hello | tr -d l; echo 'a   b' | tr -s ' '; printf 'a\\nb\\n' | tr '\\n' ,; echo",
         "HELLO  12\nheo\na b\na,b,\n"),
        ("echo 'ab1-2' | tr -cd '[:digit:]\\n'; echo abc | tr abc x-z; echo hi | tr '[:lower:]' '[:upper:]'; echo a:b | tr : '\\t'",
         "12\nxyz\nHI\na\tb\n"),
        ("printf 'a\\na\\nb\\na\\n' | uniq -c; printf 'a\\na\\nb\\n' | uniq -d; printf 'a\\na\\nb\\n' | uniq -u",
         "      2 a\n      1 b\n      1 a\na\nb\n"),
        ("printf 'abc\\nde' | rev; echo; printf '1\\n2\\n3\\n' | tac", "cba\ned\n3\n2\n1\n"),
        ("seq 3 | xargs; seq 2 | xargs -n1 echo item; seq 2 | xargs -I{} echo n{}m; echo \"a 'b c'\" f\\\\ g | xargs -n1",
         "1 2 3\nitem 1\nitem 2\nn1m\nn2m\na\nb c\nf g\n"),
        ("printf 'a\\0b c\\0' | xargs -0 -n1; echo | xargs echo none; echo | xargs -r echo no; echo a | xargs false; echo $?",
         "a\nb c\nnone\n123\n"),
        ("seq 4 | xargs -L2 echo; echo a | xargs nosuch 2>/dev/null; echo $?", "1 2\n3 4\n127\n"),
        ("expr 1 + 2; expr 2 \\* 3 - 1; expr \\( 1 + 2 \\) \\* 3; expr 7 / 2; expr 1 - 1; echo $?", "3\n5\n9\n3\n0\n1\n"),
        ("expr 10 \\< 9; expr b \\> a; expr length abc; expr substr hello 2 3; expr 0 \\| 5; expr a + 1 2>/dev/null; echo $?",
         "0\n1\n3\nell\n5\n2\n"),
        ("timeout 5 sh -c 'exit 3'; echo $?; timeout 0.1 sleep 3; echo $?; timeout -sKILL 0.1 sleep 2; echo $?; timeout 1 no 2>&1 || :",
         "3\n124\n137\nsh: no: not found\n"),
        ("timeout 0.2 sh -c 'while :; do sleep 0.1; done'; echo $?; timeout 0.3 sh -c 'timeout 0.1 sleep 5; echo in $?; sleep 3'; echo $?",
         "124\nin 124\n124\n"),
        ("nohup echo a; nice -n 5 echo b; sync; x=$(mktemp); test -f $x && echo ok; d=$(mktemp -d); test -d $d && echo dir; [ $x != $d ]",
         "a\nb\nok\ndir\n"),
        ("echo abc > f; chmod 640 f; stat -c '%a %s %n %F %U %A' f; stat -c %F /tmp; ln -s f l; stat -c %N l; stat -Lc %s l",
         "640 4 f regular file root -rw-r-----\ndirectory\n'l' -> 'f'\n4\n"),
        ("echo a > f; [ $(( $(date +%s) - $(stat -c %Y f) )) -lt 60 ] && echo young; stat f | grep -c Modify", "young\n1\n"),
    ],
)  # fmt: skip
async def test_what_they_say(script: str, says: str):
    assert await Container().sh(script) == (0, says, "")


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("cut a", "cut: expected a list of bytes, characters, or fields\n"),
        ("cut -f0 a", "cut: invalid range '0'\n"),
        ("tr a", "tr: missing operand\n"),
        ("stat /nope", "stat: can't stat '/nope': No such file or directory\n"),
        ("timeout x sleep 1", "timeout: invalid number 'x'\n"),
        ("seq 3 | xargs -n0 echo", "xargs: invalid number '0'\n"),
        ("mktemp /nope/a.XXXXXX | cat; false", "mktemp: "),
    ],
)
async def test_what_they_refuse(script: str, complaint: str):
    code, _, complained = await Container().sh(script)
    assert code == 1
    assert complained.startswith(complaint)


async def test_a_file_tells_when_it_was_changed():
    assert (await Container().sh("stat -c %Y /etc/passwd"))[1] == f"{int(START_S)}\n"


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("grep --foo a /dev/null", 2), ("grep -E '(a' /dev/null", 2), ("grep a nofile", 2), ("grep", 2),
        ("grep -f nofile a", 2), ("grep a /dev/null", 1), ("sort nofile", 2), ("sort -y", 2), ("echo a | sort -o /nope/a", 2),
        ("test 1 2 3 4 5", 2), ("[ a = ", 2), ("[ 1 -eq x ]", 2), ("test", 1), ("printf '2\\n1' | sort -c", 1),
    ],
)  # fmt: skip
async def test_errors_are_told_from_answers(script: str, code: int):
    assert (await Container().sh(script))[0] == code
