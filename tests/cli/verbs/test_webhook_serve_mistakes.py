"""`svcsim webhook serve`: what becomes of a file while it is served lets nothing through, and everybody is told who asks."""

import os

import pytest

from tests.cli.verbs.serving import Serving

CLOSED = 'RESOURCES = "configmaps"\ndef validate(request): return "closed"\n'
NEITHER = "team.py defines neither mutate(request) nor validate(request)"
NOWHERE = "say what it is to be asked about: --resources=pods,deployments.apps, or RESOURCES in the file"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (CLOSED.replace("validate", "validat"), NEITHER),
        (CLOSED.replace("validate", "Validate"), NEITHER),
        ('RESOURCES = "configmaps"\nvalidate = "x"\n', NEITHER),
        ("x = 1\n", NEITHER),
        ("", NEITHER),
        (CLOSED.replace("RESOURCES", "OTHERS"), NOWHERE),
        (CLOSED + 'FAILURE_POLICY = "Maybe"\n', "FAILURE_POLICY in the file is Fail or Ignore, not 'Maybe'"),
        (CLOSED + "import nowhere\n", "team.py:3: ModuleNotFoundError: No module named 'nowhere'"),
    ],
)
def test_a_file_that_becomes_a_mistake_lets_nothing_through(serving: Serving, text: str, told: str) -> None:
    serving.write(CLOSED)
    process = serving.begin("team.py")
    serving.write(text)
    serving.until(lambda: told in serving.make().message)
    assert serving.registered() == ["validating svcsim-team"]
    serving.write("")
    serving.until(lambda: NEITHER in serving.make().message)
    serving.write("import nowhere\n")
    serving.until(lambda: "team.py:1: ModuleNotFoundError" in serving.make().message)
    serving.write(CLOSED.replace("closed", "shut"))
    serving.until(lambda: serving.make().message.endswith("denied the request: shut"))
    out, err = serving.end(process)
    for why in (told, NEITHER, "team.py:1: ModuleNotFoundError: No module named 'nowhere'"):
        assert f": failed: {why} (" in out
        assert f"{why}\n" in err
    assert "()" not in err


def test_a_function_that_is_gone_is_told_until_nobody_asks_for_it(serving: Serving) -> None:
    serving.write(CLOSED.replace("validate", "mutate") + 'def validate(request): return "shut"\n')
    process = serving.begin("team.py")
    serving.write(CLOSED.replace("closed", "shut"))
    serving.until(lambda: serving.make().message.endswith("denied the request: shut"))
    failed = [line.partition(": failed: ")[2] for line in serving.end(process)[0].splitlines()]
    assert not any("404" in why for why in failed)


def test_a_module_that_was_missing_or_wrong_is_found_when_it_is_there(serving: Serving) -> None:
    serving.write(CLOSED)
    process = serving.begin("team.py")
    serving.write("from beside import word\n" + CLOSED.replace('"closed"', "word"))
    serving.until(lambda: "No module named 'beside'" in serving.make().message)
    serving.write("word = \n", "beside.py")
    serving.until(lambda: "SyntaxError" in serving.make().message)
    serving.write('word = "found"\n', "beside.py")
    serving.until(lambda: serving.make().message.endswith("denied the request: found"))
    serving.end(process)


def test_a_load_that_hangs_is_ended_by_the_next_save(serving: Serving) -> None:
    serving.write(CLOSED)
    process = serving.begin("team.py", "--timeout", "30s")
    serving.write("from pathlib import Path\nPath('begun').write_text('yes')\nimport time\ntime.sleep(1000)\n")
    serving.until(lambda: serving.read("begun") == "yes")
    serving.write('RESOURCES = "configmaps,secrets"\ndef validate(request): return "mended"\n')
    assert serving.make().message.endswith("denied the request: mended")
    err = process.stderr
    assert err is not None
    assert "team.py was loaded again" in err.readline()
    assert "CREATE, UPDATE of configmaps, secrets now." in err.readline()
    serving.end(process)


def test_a_file_of_the_same_size_and_age_is_another(serving: Serving) -> None:
    serving.write(CLOSED)
    process = serving.begin("team.py")
    assert serving.make().message.endswith("denied the request: closed")
    path, other = serving.directory / "team.py", serving.directory / "other"
    age = path.stat()
    serving.write(CLOSED.replace("closed", "sealed"), "other")
    os.utime(other, ns=(age.st_atime_ns, age.st_mtime_ns))
    other.replace(path)
    assert serving.make().message.endswith("denied the request: sealed")
    serving.end(process)


def test_a_traceback_is_the_users_own_and_moves_no_terminal(serving: Serving) -> None:
    serving.write('RESOURCES = "*.apps,configmaps"\nasync def validate(request): raise ValueError("a\\x1b[2Jb")\n')
    process = serving.begin("team.py")
    root = f"/apis/{serving.wire.dialect.group('admissionregistration')}/v1"
    rules = serving.wire.ask("GET", f"{root}/validatingwebhookconfigurations/svcsim-team").json["webhooks"][0]["rules"]
    assert [(rule["apiGroups"], rule["resources"]) for rule in rules] == [(["apps"], ["*"]), ([""], ["configmaps"])]
    assert "ValueError" in serving.make().message
    _, err = serving.end(process)
    assert "asyncio" not in err
    assert "ValueError: a\\x1b[2Jb\n" in err
    assert "\x1b" not in err


UNKNOWN = """
RESOURCES = "configmaps,widgets.example.com"

FIELDS = {
    "one": lambda obj: obj.update(dataa={"a": "b"}),
    "deep": lambda obj: obj["metadata"].update(label={"a": "b"}),
    "many": lambda obj: obj.update({f"field{number}": 1 for number in range(7)}),
    "denied": lambda obj: obj.update(dataa={"a": "b"}),
    "known": lambda obj: obj.update(data={"any": "b"}),
    "spec": lambda obj: obj["spec"].update(colour="red"),
    "loose": lambda obj: obj["spec"]["loose"].update(colour="red"),
}

def mutate(request):
    name = request["name"].partition("-")[0]
    FIELDS[name](request["object"])
    return name != "denied"
"""
DROPS = "; note: the cluster drops what it doesn't know: "


def test_a_field_that_the_cluster_drops_is_told(serving: Serving) -> None:
    """By nobody else: who made the request didn't write it. What keeps other fields than it names keeps them without a word."""
    prefix = serving.wire.dialect.extension_prefix
    loose = {"type": "object", "properties": {"a": {"type": "string"}}, f"{prefix}preserve-unknown-fields": True}
    spec = {"type": "object", "properties": {"size": {"type": "integer"}, "loose": loose}}
    schema = {"type": "object", "properties": {"spec": spec}}
    definitions = f"/apis/{serving.wire.dialect.group('apiextensions')}/v1/customresourcedefinitions"
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    serving.wire.create(
        definitions,
        {
            "metadata": {"name": "widgets.example.com"},
            "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
        },
    )
    widgets = "/apis/example.com/v1/namespaces/default/widgets"
    serving.until(lambda: serving.wire.ask("GET", widgets).status == 200)
    serving.write(UNKNOWN)
    process = serving.begin("team.py", "--operations=create")
    made = {name: serving.make(name) for name in ("one", "deep", "many", "denied", "known")}
    for name in ("spec", "loose"):
        widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}, "spec": {"size": 1, "loose": {"b": 1}}}
        made[name] = serving.wire.ask("POST", widgets, widget)
    assert serving.wire.ask("DELETE", f"{definitions}/widgets.example.com").status == 200
    lines = dict(zip(made, serving.end(process)[0].splitlines(), strict=True))
    told = {name: line.partition(DROPS)[2].rpartition(" (")[0] for name, line in lines.items()}
    assert told == {
        "one": "dataa",
        "deep": "metadata.label",
        "many": "field0, field1, field2, field3, field4 and 2 more",
        "denied": "",
        "known": "",
        "spec": "spec.colour",
        "loose": "",
    }
    assert "dataa" not in made["one"].json
    assert made["spec"].json["spec"] == {"size": 1, "loose": {"b": 1}}
    assert made["loose"].json["spec"]["loose"] == {"b": 1, "colour": "red"}
