"""What templates of stages make of objects."""

import pytest

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
        ('{{ dig "status" "phase" "none" . }} {{ kindOf 1 }} {{ kindIs "map" .spec }} {{ atoi "0012" }}', "none int64 true 12"),
    ],
)  # fmt: skip
def test_functions(text, found):
    assert made(text) == found


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
