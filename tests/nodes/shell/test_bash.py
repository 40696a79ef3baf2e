"""What bash has besides: ``[[ … ]]``, lists, and more that is done to the values of variables."""

import pytest

from tests.nodes.shell.container import Container


async def says(script: str) -> str:
    code, out, complaint = await Container().run("bash", "-c", script)
    assert (code, complaint) == (0, "")
    return out


@pytest.mark.parametrize(
    ("asked", "answers"),
    [
        ("[[ -d /tmp && ! -f /nope ]]; [[ -f /nope || -e /etc/passwd ]]; [[ ! ( -d /tmp && '' ) ]]; [[ -d /nope ]]", "0001"),
        ("[[ 'a b' == a* ]]; [[ ab == 'a*' ]]; [[ ab = a[b-c] ]]; [[ a != b ]]; x='a b'; [[ $x == 'a b' ]]; [[ $NONE == '' ]]", "010000"),
        ("[[ '' ]]; [[ x ]]; [[ -z '' ]]; [[ -n $NONE ]]; [[ a < b ]]; [[ a > b ]]; [[ -v HOME ]]; [[ -v NONE ]]", "10010101"),
        ("i=5; [[ $i -eq 5 ]]; [[ i -gt 3 ]]; [[ $i -lt 2+1 ]]; [[ $NONE -eq 0 ]]; [[ -1 -lt 1 ]]; [[ -f == -f ]]", "001000"),
        ('[[ mysql-12 =~ -([0-9]+)$ ]]; [[ foo =~ ^(foo|bar)$ ]]; [[ abc =~ x|b ]]; [[ a+b =~ a"+"b ]]; [[ aab =~ a"+"b ]]', "00001"),
        ("re='^v[0-9]+$'; [[ v12 =~ $re ]]; [[ 'a b' =~ ^a[[:space:]]b$ ]]; [[ ab =~ ^a{1,2}b?$ ]]; [[ b =~ ^[^b-d]$ ]]", "0001"),
        ("[[ a == a &&\n b == b ]]", "0"),
        ("[[ 'a b' =~ (a\r| b) ]]", "0"),
    ],
)  # fmt: skip
async def test_conditions(asked: str, answers: str):
    script = "; ".join(f"{part}; echo -n $?" if "[[" in part else part for part in asked.split("; "))
    assert await says(script) == answers


async def test_a_script_in_a_file_has_no_arrays_but_its_own():
    script = "a=(1 2); export b=3; printf '%s\\n' 'echo ${#a[@]} $b' > /tmp/s; chmod +x /tmp/s; /tmp/s"
    assert await says(script) == "0 3\n"


async def test_groups_of_what_was_found_are_known():
    script = '[[ `hostname` =~ ^(.*?)-([0-9]+)$ ]] || exit 1; echo "${BASH_REMATCH[0]} ${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"'
    assert await says(script) == "web-1 web 1\n"


async def test_conditions_are_traced_as_they_are_asked():
    _, _, traced = await Container().run(
        "bash", "-xc", "x=2; [[ -f /nope || $x ]]; [[ $x -eq 2 && $(echo a) == a* ]]; [[ ! a-1 =~ -([0-9]+)$ ]]"
    )
    asked = ("-f /nope", "-n 2", "2 -eq 2")
    assert traced == "+ x=2\n" + "".join(f"+ [[ {one} ]]\n" for one in asked) + "++ echo a\n+ [[ a == a* ]]\n+ [[ a-1 =~ -([0-9]+)$ ]]\n"


@pytest.mark.parametrize(
    ("text", "pattern", "found"),
    [
        ("10.1.2.3", r"^([0-9]{1,3}\.){3}[0-9]{1,3}$", "0<10.1.2.3><2.>"),
        ("1.2.30", r"^[0-9]+(\.[0-9]+)*$", "0<1.2.30><.30>"),
        ("1.2.", r"^[0-9]+(\.[0-9]+)*$", "1<>"),
        ("v1.2.3-rc1", r"^(v?)([0-9]+)((\.[0-9]+)*)(-[a-z0-9]+)?", "0<v1.2.3-rc1><v><1><.2.3><.3><-rc1>"),
        ("abab", "^(a|b)+$", "0<abab><b>"),
        ("abcd", "ab|abcd", "0<abcd>"),
        ("xaab", "(a*)*b", "0<aab><aa>"),
        ("éé.", "(é|e)+", "0<éé><é>"),
        ("a\nb", "^a.b$", "0<a\nb>"),
        ("1\n", "^[0-9]+$", "1<>"),
    ],
)
async def test_what_is_repeated_may_hold_what_is_repeated(text: str, pattern: str, found: str):
    """The real one says the same."""
    assert await says(f"""re='{pattern}'; [[ '{text}' =~ $re ]]; echo -n $?; printf '<%s>' "${{BASH_REMATCH[@]}}\"""") == found


@pytest.mark.parametrize("pattern", ["(a+)+b", "(a|aa)*b", ".*" * 30 + "b"])
async def test_nothing_takes_long_to_look_for(pattern: str):
    assert await says(f're="{pattern}"; x={"a" * 9_000}; [[ $x =~ $re ]]; echo $?') == "1\n"


@pytest.mark.parametrize("pattern", ["(", "[a", "a{2000}", "(a{99}){99}", "a{999}" * 400, "(.{30}){30}b"])
async def test_what_may_take_long_or_means_nothing_is_not_looked_for(pattern: str):
    code, _, complaint = await Container().run("bash", "-c", f'x={"a" * 2_000}; re="{pattern}"; [[ $x =~ $re ]]; echo no')
    assert code == 2
    assert complaint.startswith("bash: [[: ")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ('a=(foo bar baz); i=1; echo ${a[$i]} ${a[i+1]} ${a[-1]} $a ${#a[@]} ${#a[1]} ${a[@]} "${a[*]}" ${!a[@]}',
         "bar baz baz foo 3 3 foo bar baz foo bar baz 0 1 2\n"),
        ("a=(1); a+=(qux 'x y'); for x in \"${a[@]}\"; do echo \"<$x>\"; done; a[9]=z; echo ${!a[@]}; unset 'a[0]'; echo ${a[0]}. ${#a[@]}",
         "<1>\n<qux>\n<x y>\n0 1 2 9\n. 3\n"),
        ('declare -A m; m[a]=1; m[b c]=2; k=a; echo ${m[$k]} "${m[b c]}" ${#m[@]}; for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done',
         "1 2 2\na=1\nb c=2\n"),
        ("a=([2]=x y [5]=z); echo ${!a[@]} ${a[3]}; x=1; x+=2; echo $x; a[2]+=w; echo ${a[2]}; e=(); echo ${#e[@]}; e+=(1); echo ${e[@]}",
         "2 3 5 y\n12\nxw\n0\n1\n"),
        ('a=(1 2 3); (a+=(4); echo ${#a[@]}); echo ${#a[@]}; b=("${a[@]}" x); echo ${#b[@]} "${a[@]:1}"; IFS=,; echo "${a[*]}"',
         "4\n3\n4 2 3\n1,2,3\n"),
        ("a=(\n  1 # one\n  $(seq 2 3)\n  {4..5}\n); echo ${a[@]}; read -ra w <<< 'x y'; echo ${w[1]}", "1 2 3 4 5\ny\n"),
        ("x=/a/b.c.d; echo ${x//\\//_} ${x/b/X} ${x/#\\/a/Q} ${x/%d/E} ${x//[bc]/-} ${x//./} ${x/*./Z}",
         "_a_b.c.d /a/X.c.d Q/b.c.d /a/b.c.E /a/-.-.d /a/bcd Zd\n"),
        ("x=/a/b.c.d; echo ${x:1} ${x:1:3} ${x: -3} ${x:0:-2} ${x^^} ${COLOUR^}; set -- p q r; echo ${@:2}; y=HeLLo; echo ${y,,} ${y,}",
         "a/b.c.d a/b c.d /a/b.c /A/B.C.D Blue\nq r\nhello heLLo\n"),
        ("n=COLOUR; echo ${!n}; f() { declare b=2; echo $b; }; f; echo $b.; typeset -x E=1; env | grep ^E=", "blue\n2\n.\nE=1\n"),
    ],
)  # fmt: skip
async def test_lists_and_values(script: str, said: str):
    assert await says(script) == said


@pytest.mark.parametrize(
    "script", ["echo " + "${a[" * 900, "[[ " + "( " * 900, "echo " + "${x/" * 900, "a=(" + "$(a=(" * 300, "[[ " + "! " * 900]
)
async def test_what_is_nested_too_deeply_is_refused(script: str):
    assert await Container().run("bash", "-c", script) == (2, "", "bash: syntax error: nested too deeply\n")


async def test_parts_of_values_are_taken_and_replaced_by_plain_shells_too():
    _, out, _ = await Container().sh('x=a-b-c; echo ${x//-/_} ${x/-/} ${x:2:1}; [[ $x == a* && -n $x ]] && echo yes; echo "${y:-a\\}b}"')
    assert out == "a_b_c ab-c b\nyes\na}b\n"
    assert (await Container().sh("a=(1 2)"))[0] == 2


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ('printf -v z "%03d" 7; echo $z; printf -v z "a\\nb"; echo "$z"; printf -v z ""; echo "[$z]"', "007\na\nb\n[]\n"),
        ("a=(1 2); i=1; printf -v 'a[i+1]' %s x; printf -v a %s y; echo ${a[@]}; declare -A m; printf -v 'm[b c]' 1; echo ${m[b c]}",
         "y 2 x\n1\n"),
        ("f() { local x; printf -v x %s 1; printf -v \"$1\" '%s-' a b; }; f out; echo $out$x; printf -- '-v\\n'",
         "a-b-\n-v\n"),
        ("printf -v o -- -%s x; echo $o", "-x\n"),
        ("printf -v n %d x 2>/dev/null; echo $? $n; (printf -v n 5); echo $n; type printf", "1 0\n0\nprintf is a shell builtin\n"),
        ("printf -v 1x a 2>/dev/null; echo $?; printf -v x 2>/dev/null; echo $?; printf -v 2>/dev/null; echo $?", "2\n2\n2\n"),
    ],
)  # fmt: skip
async def test_what_is_printed_into_variables(script: str, said: str):
    assert await says(script) == said


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ('declare -i n=5; n+=2; echo $n; n=2*3; echo $n; n=n+1; echo $n; n=; echo "[$n]"; n+=; echo $n', "7 6 7 [0] 0"),
        ('declare -i "m=3+4" k; echo $m "[$k]"; k+=3; echo $k; declare +i m; m=1+1; echo $m; m+=2; echo $m', "7 [] 3 1+1 1+12"),
        ('f() { local -i n=2+2; n+=1; echo $n; local s=1+1; echo $s; local -i u; echo "[$u]"; }; n=1+1; f; n+=1; echo $n', "5 1+1 [] 1+11"),
        ("declare -i n=4; g() { local n=1+1; echo $n; declare -i q=3*3; echo $q; }; g; n+=1; echo $n; q=1+1; echo $q", "1+1 9 5 1+1"),
        ("n=5; h() { typeset -i n; n=7+1; echo $n; }; h; n+=1; echo $n; declare -i z=1; (z+=4; echo $z); echo $z", "8 51 5 1"),
        ("f() { declare -i v=1; g; echo $v; }; g() { v+=2; }; f; echo [$v]; f() { declare -gi w=2+2; }; f; w+=1; echo $w", "3 [] 5"),
        ("declare -ai a; a=(1+1 2*3); a[2]=3+4; a[0]+=5; a+=(1+2); echo ${a[@]}; declare -Ai m; m[x]=2*2; m[x]+=1; echo ${m[x]}",
         "7 6 7 3 5"),
        ("declare -i n; read n <<< 3+4; echo $n; for n in 1+1 2+2; do echo $n; done; x=10; n=x; echo $n", "7 2 4 10"),
        ("declare -i n=1; printf -v n %s 3*3; echo $n; declare n+=1; echo $n; unset n; n=1+1; echo $n", "9 10 1+1"),
        ("declare -ri c=2+2; echo $c; declare -ix e=1+1; env | grep ^e=; declare -i w=5; let w+=1; ((w*=2)); echo $w", "4 e=2 12"),
        ("declare -i w=5; w=3*3 true; echo $w; declare -i n=-3; n+=-4; echo $n", "5 -7"),
    ],
)  # fmt: skip
async def test_numbers_are_worked_out_when_they_are_set(script: str, said: str):
    assert (await says(script)).split() == said.split()


async def test_what_is_no_number_ends_the_script():
    code, out, complaint = await Container().run("bash", "-c", "declare -i n=1+; echo on")
    assert code != 0
    assert out == ""
    assert complaint.startswith("bash: ")
