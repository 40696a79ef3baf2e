"""What templates of stages make of objects."""

import pytest

from svcsim.chance import Chance
from svcsim.nodes.staged.templates import StageError, Whereabouts, as_text, as_value, template
from tests.virtual import START_S

PLACE = Whereabouts(
    START_S, START_S - 60, "node-1", ("10.0.0.2", "fd00::2"), lambda in_host: ("10.0.0.2", "fd00::2") if in_host else ("10.244.0.5",)
)
POD = {
    "metadata": {"name": "web", "generation": 2, "annotations": {"a": 'say "hi"'}},
    "spec": {"nodeName": "node-1", "containers": [{"name": "a", "image": "nginx:1"}, {"name": "b", "resources": {"cpu": 1}}]},
}


def made(text: str) -> str:
    return as_text(template(text), POD, PLACE)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{{ Now }} {{ StartTime }}", "2026-01-01T00:00:00Z 2025-12-31T23:59:00Z"),
        ("{{ NodeName }} {{ NodeIP }} {{ NodePort }} {{ PodIP }}", "node-1 10.0.0.2 10250 10.244.0.5"),
        ("{{ NodeIPWith .spec.nodeName }} {{ PodIPWith .spec.nodeName true }}", "10.0.0.2 10.0.0.2"),
        ('{{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) "" "" | Quote }}', '"10.244.0.5"'),
        ("{{ NodeIPsWith .spec.nodeName }} {{ PodIPsWith .spec.nodeName true }}", "[10.0.0.2 fd00::2] [10.0.0.2 fd00::2]"),
        ("{{ range PodIPsWith .spec.nodeName false .metadata.uid .metadata.name .metadata.namespace }}{{ . }}{{ end }}", "10.244.0.5"),
        ("{{ .metadata.annotations.a | Quote }}", '"say \\"hi\\""'),
        ("{{ .metadata.generation | Quote }} {{ .nothing | Quote }} {{ Quote true }}", '"2" "null" "true"'),
        ("{{ YAML .spec.containers 1 }}", "\n  - image: nginx:1\n    name: a\n  - name: b\n    resources:\n      cpu: 1\n  "),
        ("{{ range NodeConditions }}{{ .type }}={{ .status }} {{ end }}",
         "Ready=True MemoryPressure=False DiskPressure=False PIDPressure=False NetworkUnavailable=False "),
        ("{{ add1 (or .status.observedGeneration 0) }}{{ add 1 2 3 }}{{ sub 5 3 }}{{ mul 2 3 }}{{ div 7 2 }}{{ mod 7 4 }}", "162633"),
        ('{{ default "x" .nothing }}{{ default "x" "y" }}{{ coalesce "" 0 "z" }}{{ .nothing | empty | ternary 1 2 }}', "xyz1"),
        ('{{ $d := dict "a" 1 "b" (list 1 2) }}{{ $d.a }}{{ index $d.b 1 }}{{ hasKey $d "c" }}{{ len (keys $d) }}', "12false2"),
        ('{{ "A-b" | lower }}{{ "a" | upper }}{{ trimSuffix "c" "abc" }}{{ replace "a" "b" "aXa" }}', "a-bAabbXb"),
        ('{{ join "," (list 1 "a") }}{{ splitList "/" "a/b" | last }}{{ list 1 2 | first }}{{ has 2 (list 1 2) }}', "1,ab1true"),
        ("{{ toJson .spec.containers }}", '[{"image":"nginx:1","name":"a"},{"name":"b","resources":{"cpu":1}}]'),
        ('{{ "a\\nb" | indent 2 }}|{{ "x" | nindent 2 }}', "  a\n  b|\n  x"),
        ('{{ b64enc "hi" }} {{ b64dec "aGk=" }} {{ sha256sum "a" | trunc 6 }} {{ quote 1 "b" }}', 'aGk= hi ca9781 "1" "b"'),
        (r"""{{ quote "two\nlines" nil "say \"hi\"" `C:\new` }} {{ squote "a" 1 }}""", r'"two\nlines" "say \"hi\"" "C:\\new"' + " 'a' '1'"),
        ('{{ join "-" "x" }}{{ join "-" nil }}{{ toJson "<a&b>" }}{{ toRawJson "<a&b>" }}', r'x"\u003ca\u0026b\u003e""<a&b>"'),
        ('{{ dig "status" "phase" "none" . }} {{ kindOf 1 }}/{{ kindOf .metadata.generation }} {{ kindIs "map" .spec }} {{ atoi "0012" }}',
         "none int/int64 true 12"),
    ],
)  # fmt: skip
def test_functions(text, found):
    assert made(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{{ now | date "Mon Jan _2 2006 15:04:05.00 -0700" }}', "Thu Jan  1 2026 00:00:00.00 +0000"),
        ('{{ dateInZone "2006-01-02 3:04PM MST" "2026-07-01T10:00:00Z" "Europe/Berlin" }}', "2026-07-01 12:00PM CEST"),
        ('{{ dateModify "-1.5h" Now }} {{ now | date_modify "90s" | unixEpoch }}', "2025-12-31T22:30:00Z 1767225690"),
        ('{{ toDate "2006-01-02" "2025-12-30" | ago }} {{ toDate "02/01/06" "x" }}', "48h0m0s 0001-01-01T00:00:00Z"),
        ('{{ duration 95 }} {{ durationRound "2h10m5s" }} {{ htmlDate 0 }}', "1m35s 2h 1970-01-01"),
        ('{{ regexMatch "^w[a-z]+$" .metadata.name }} {{ regexFind "[a-c]+" "xxabcx" }}', "true abc"),
        ('{{ regexFindAll "[0-9]" "1a2b3" 2 }} {{ regexFindAll "x*" "axb" -1 | len }}', "[1 2] 3"),
        ('{{ regexReplaceAll "a(x*)b(?P<end>c?)" "-ab-axxbc-" "${1}W${end}$$" }}', "-W$-xxWc$-"),
        ('{{ regexReplaceAllLiteral "a(x*)b" "-ab-" "${1}" }} {{ regexQuoteMeta "1.2+3" }}', "-${1}- 1\\.2\\+3"),
        ('{{ regexSplit "z+" "pizza" -1 }} {{ mustRegexSplit "," "a,b,c" 2 }}', "[pi a] [a b,c]"),
        ('{{ snakecase "FirstHTTPName" }} {{ kebabcase "first_name" }} {{ camelcase "http_server" }}',
         "first_http_name first-name HttpServer"),
        ('{{ initials "First Try" }} {{ swapcase "aB" }} {{ untitle "First Try" }} {{ cat "a" 1 nil "b" }}', "FT Ab first try a 1 b"),
        ('{{ wrap 5 "ab cd ef" }}|{{ wrapWith 3 "/" "abcdef" }}|{{ plural "one" "many" 2 }}', "ab cd\nef|abc/def|many"),
        ('{{ abbrevboth 5 10 "1234 5678 9123" }} {{ base "/a/b.c" }} {{ dir "a/b/c" }} {{ ext "a.tar.gz" }} {{ clean "a/../b//c" }}',
         "...5678... b.c a/b .gz b/c"),
        ('{{ (split "$" "a$b$c")._1 }} {{ (splitn "$" 2 "a$b$c")._1 }} {{ b32enc "hi" | b32dec }}', "b b$c hi"),
        ("{{ ceil 1.2 }} {{ floor 1.8 }} {{ round 123.5555 3 }} {{ round 2.7 0 0.8 }} {{ addf 1.5 2 }} {{ divf 1 4 }} {{ maxf 1 2.5 }}",
         "2 1 123.556 2 3.5 0.25 2.5"),
        ('{{ seq 5 }}|{{ seq 0 2 6 }}|{{ seq 2 -1 }}|{{ untilStep 3 9 3 }}|{{ toDecimal "0777" }}', "1 2 3 4 5|0 2 4 6|2 1 0 -1|[3 6]|511"),
        ('{{ chunk 2 (list 1 2 3) }} {{ initial (list 1 2) }} {{ tuple 1 "a" }} {{ mustLast (list 1 2) }}', "[[1 2] [3]] [1] [1 a] 2"),
        ('{{ $d := dict "a" 1 }}{{ $_ := set $d "b" 2 }}{{ $d }} {{ unset $d "a" }} {{ pluck "b" $d (dict) (dict "b" 3) }}',
         "map[a:1 b:2] map[b:2] [2 3]"),
        ('{{ merge (dict "a" (dict "x" 1)) (dict "a" (dict "x" 2 "y" 3)) }}', "map[a:map[x:1 y:3]]"),
        ('{{ mergeOverwrite (dict "a" (dict "x" 1)) (dict "a" (dict "x" 2 "y" 3)) }}', "map[a:map[x:2 y:3]]"),
        ('{{ deepEqual (list 1 2) (list 1 2) }} {{ typeOf "a" }} {{ typeIs "int" 1 }}', "true string true"),
        ('{{ (urlParse "http://u@host:80/a?b=c#d").host }} {{ urlJoin (dict "scheme" "http" "host" "h" "path" "/p") }}',
         "host:80 http://h/p"),
        ('{{ join "-" (list 1 nil "a") }} {{ substr -1 3 "abcd" }}', "1-a abc"),
        ('{{ regexMatch "^[0-9]{3}$" (randNumeric 3) }} {{ len (randAlphaNum 8) }} {{ randInt 3 4 }} {{ len uuidv4 }}',
         "true 8 3 36"),
        ('{{ len (shuffle "abc") }} {{ printf "%+v %+d" 1 1 }} {{ printf "%+v" (dict "a" 1.5) }}', "3 1 +1 map[a:1.5]"),
    ],
)  # fmt: skip
def test_functions_of_sprig(text, found):
    assert made(text) == found


def test_what_chance_decides_follows_from_the_seed():
    text = template("{{ uuidv4 }} {{ randAlpha 20 }} {{ randInt 0 1000000 }}")
    one, same, other = (as_text(text, POD, PLACE._replace(chance=Chance(seed))) for seed in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{{ regexMatch "(a" "a" }}', "error parsing regexp: missing closing )"),
        ('{{ regexMatch "a" (repeat 10001 "a") }}', "a text longer than 10000 bytes is not searched"),
        ('{{ regexReplaceAll "a" (repeat 9999 "a") "b" }}', "a regular expression is found more than 1000 times"),
        ('{{ regexMatch "((a{900}){900}){900}" "a" }}', "error parsing regexp"),
        ("{{ untilStep 0 99999999 1 }}", "a list that is too long"),
        ('{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $d }}', "that is more work than a template may make"),
        ('{{ $r := dict }}{{ $l := $r }}{{ range until 900 }}{{ $_ := set $l "a" (dict) }}{{ $l = $l.a }}{{ end }}{{ $r }}',
         "that is more work than a template may make"),
        ('{{ mustToDate "2006" "x" }}', "cannot parse it"),
        ('{{ mustDateModify "x" Now }}', "time: invalid duration"),
        ("{{ randInt 3 3 }}", "invalid argument to Intn"),
    ],
)  # fmt: skip
def test_functions_of_sprig_that_are_given_too_much_say_so(text, why):
    with pytest.raises(StageError) as raised:
        made(text)
    assert why in str(raised.value)


def test_expressions_that_would_take_for_ever_elsewhere_take_no_time():
    assert made('{{ regexMatch "^(a+)+$" (print (repeat 9999 "a") "b") }}{{ regexFind "(x+x+)+y" (repeat 9999 "x") }}') == "false"


def test_a_template_makes_a_value_by_way_of_yaml():
    text = (
        "phase: Running\nlist:\n{{ range .spec.containers }}\n- {name: {{ .name }}}\n{{ end }}\nnothing:\n{{ range .none }}\n- a\n{{ end }}"
    )
    assert as_value(template(text), POD, PLACE) == {"phase": "Running", "list": [{"name": "a"}, {"name": "b"}], "nothing": None}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{{ nope }}", 'template: 1: function "nope" not defined'),
        ("a\n{{ if }}", "template: 2: missing value for if"),
        ("{{ Quote }}", "wrong number of args for Quote: want 1 got 0"),
        ('{{ fail "no" }}', "error calling fail: no"),
        ("{{ div 1 0 }}", "integer divide by zero"),
        ("{{ index .spec.containers 5 }}", "index out of range: 5"),
        ("{{ until 99999999 }}", "a list that is too long"),
        ('{{ repeat 99999999 "ab" }}', "a text longer than 1000000 characters"),
        ("a: {{ 1 }} :\n- b", "what it makes is no YAML"),
        ('{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}', "exceeded maximum template depth"),
        (f"{{{{ range until 999 }}}}{'a' * 2000}{{{{ end }}}}", "it makes more than 1000000 characters"),
        ("{{ YAML . 5000 }}", "5000 is no number of levels"),
        ('{{ replace "" (repeat 9999 "x") (repeat 9999 "y") }}', "a text longer than 1000000 characters"),
        ('{{ join (repeat 99999 "x") (until 1000) }}', "a text longer than 1000000 characters"),
        ('{{ indent 100 (repeat 99999 "\\n") }}', "a text longer than 1000000 characters"),
        ('{{ printf "%999999d%999999d" 1 1 }}', "a text longer than 1000000 characters"),
    ],
)
def test_what_is_wrong_is_told(text, why):
    with pytest.raises(StageError) as raised:
        as_value(template(text), POD, PLACE)
    assert why in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "{{ range until 9000 }}{{ range until 9000 }}{{ end }}{{ end }}",
        "{{ range until 900000 }}{{ end }}",
        '{{ $x := "aaaaaaaaaa" }}{{ range until 60 }}{{ $x = print $x $x }}{{ end }}{{ len $x }}',
        "{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}{{ $x }}",
        '{{ $x := dict "a" 1 }}{{ range until 2000 }}{{ $x = dict "a" $x }}{{ end }}{{ toJson $x }}',
        "{{ $l := list }}{{ range until 9000 }}{{ $l = append $l . }}{{ end }}",
        "{{ $x := 3 }}{{ range until 9000 }}{{ $x = add $x $x }}{{ end }}",
        '{{ define "b" }}{{ range until 999 }}{{ end }}{{ end }}{{ range until 99 }}{{ template "b" }}{{ end }}',
        '{{ define "a" }}{{ $x := list . . }}{{ $y := toJson $x }}{{ template "a" $x }}{{ end }}{{ template "a" 1 }}',
        "{{ len (uniq (until 900000)) }}",
    ],
)
def test_what_never_comes_to_an_end_is_stopped(text):
    with pytest.raises(StageError, match="that is more work than a template may make"):
        as_value(template(text), POD, PLACE)


def test_lists_are_searched_in_one_go():
    assert made('{{ uniq (list 1 "a" 1 "b" "a" true) }}{{ without (list 1 2 3 2 "2") 2 }}') == "[1 a b true][1 3 2]"
    assert made('{{ printf "%99999999d|%*d|%.9999999f" 1 9999999 2 3.5 }}').startswith("%!(BADWIDTH)|")
