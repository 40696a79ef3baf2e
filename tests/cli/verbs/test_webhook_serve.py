"""`svcsim webhook serve`: a handler of the user's is asked by the cluster for as long as the command runs, and then no longer."""

import json
import signal
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from svcsim.meta.types import Object
from tests.cli.verbs.serving import MAPS, PATIENCE_S, Serving, is_running, unquoted
from tests.process import served
from tests.wire.raw import Wire

BOTH = """
RESOURCES = "configmaps"

def mutate(request):
    request["object"].setdefault("data", {})["team"] = "blue"

def validate(request):
    name = request["name"]
    if name.startswith("bad"):
        return "no bad names"
    if name.startswith("no"):
        return False
    if name.startswith("warn"):
        return {"allowed": True, "warnings": ["careful"]}
    if name.startswith("boom"):
        raise ValueError("boom")
    if name.startswith("die"):
        import os
        os._exit(3)
    if name.startswith("leave"):
        raise SystemExit(4)
    if name.startswith("stop"):
        raise KeyboardInterrupt
    if name.startswith("library"):
        import json
        json.loads("no")
    if name.startswith("odd"):
        return 7
    print("this is no answer")
    return True
"""


def test_a_file_is_asked_until_the_command_ends(serving: Serving) -> None:
    serving.write(BOTH)
    process = serving.begin("team.py")
    assert serving.registered() == ["mutating svcsim-team", "validating svcsim-team"]
    assert serving.make().json["data"] == {"team": "blue"}
    denied = 'admission webhook "svcsim-team.webhook.svcsim.dev" denied the request: '
    assert (serving.make("bad").status, serving.make("bad").message) == (403, denied + "no bad names")
    assert serving.make("no").message == denied + "denied by the webhook"
    assert '"careful"' in serving.make("warn").headers["warning"]
    out, err = serving.end(process)
    assert serving.registered() == []
    assert "data" not in serving.make().json
    lines = out.splitlines()
    assert lines[0].startswith("CREATE configmaps default/good-")
    assert ": allowed, changes /data (" in lines[0]
    assert any(": denied: no bad names (" in line for line in lines)
    assert any(": allowed; warns: careful (" in line for line in lines)
    assert "this is no answer" in err


@pytest.mark.parametrize(
    ("prefix", "told"),
    [
        ("boom", "team.py:16: ValueError: boom"),
        ("die", "team.py ended without an answer"),
        ("leave", "team.py:21: SystemExit: 4"),
        ("stop", "team.py:23: KeyboardInterrupt"),
        ("library", "team.py:26: JSONDecodeError: Expecting value"),
        ("odd", "validate returned 7: let it be nothing, True, False, a text, or a map"),
    ],
)
def test_what_fails_is_told_and_serving_goes_on(serving: Serving, prefix: str, told: str) -> None:
    serving.write(BOTH)
    process = serving.begin("team.py")
    failed = serving.make(prefix)
    assert failed.status == 500
    assert told in failed.message
    assert serving.make().status == 201
    out, err = serving.end(process)
    assert "svcsim" not in err.partition("\n")[2]
    assert f": failed: {told} (" in out or told in out


STRAY = """
import os, threading

RESOURCES = "configmaps"

def write(line):
    for number in range(3, 10):
        try:
            os.write(number, line)
        except OSError:
            pass

def validate(request):
    name = request["name"]
    if name.startswith("noise"):
        write(b"noise\\n")
    if name.startswith("answer"):
        write(b'{"returned": "of nobody", "left": null}\\n')
    if name.startswith("surrogate"):
        return "\\ud800"
    if name.startswith("fork") and os.fork() == 0:
        return "of a child"
    return f"of {name}"
"""


@pytest.mark.parametrize(
    ("prefix", "told"),
    [
        ("noise", "is no JSON"),
        ("answer", "team.py wrote something else among its answers: "),
        ("surrogate", "is no JSON"),
        ("fork", ": of fork-"),
    ],
)
def test_no_review_gets_the_answer_of_another(serving: Serving, prefix: str, told: str) -> None:
    """Whatever else a handler puts where its answers go."""
    serving.write(STRAY)
    process = serving.begin("team.py")
    assert told in serving.make(prefix).message
    for _ in range(3):
        name = serving.wire.fresh("good")
        answer = serving.wire.ask("POST", MAPS, {"metadata": {"name": name}})
        assert answer.message.endswith(f": of {name}")
    assert "Traceback" not in serving.end(process)[1]


NO_ANSWERS: dict[str, tuple[Object, str]] = {
    "misspelled": ({"alowed": False}, '"allowed"'),
    "empty": ({}, '"allowed"'),
    "number": ({"allowed": 0}, '"allowed" is 0, neither true nor false'),
    "text": ({"allowed": "false"}, '"allowed" is false, neither true nor false'),
    "uid": ({"allowed": True, "uid": "other"}, 'got "other"'),
    "letters": (
        {"allowed": True, "warnings": "careful"},
        "unmarshal string into Go struct field AdmissionResponse.response.warnings of type []string",
    ),
    "notes": (
        {"allowed": True, "auditAnnotations": {"k": 1}},
        "Go struct field AdmissionResponse.response.auditAnnotations of type string",
    ),
    "bare": ({"allowed": False, "status": "no"}, '"status" is no, not a map'),
    "list": (
        {"allowed": False, "status": {"message": ["no"]}},
        "unmarshal array into Go struct field Status.response.status.message of type string",
    ),
    "code": (
        {"allowed": False, "status": {"code": "403"}},
        "cannot unmarshal string into Go struct field Status.response.status.code of type int32",
    ),
    "response": ({"response": 7}, "response is 7, which is no map"),
    "patch": (
        {"allowed": True, "patch": [{"op": "add", "path": "/data", "value": {}}]},
        "validating webhook may not return response.patch",
    ),
}
BAD_PATCHES: dict[str, tuple[Object, str]] = {
    "review": ({"apiVersion": "other/v1", "response": {"allowed": True}}, ", Kind=AdmissionReview, got other/v1"),
    "map": ({"allowed": True, "patch": "e30="}, "its patch is no list of operations"),
    "plain": ({"allowed": True, "patch": "[]"}, "illegal base64 data at input byte 0"),
    "nowhere": (
        {"allowed": True, "patch": [{"op": "remove", "path": "/nowhere"}]},
        "its patch can't be applied: error in remove for path: '/nowhere'",
    ),
    "kind": ({"allowed": True, "patch": [{"op": "replace", "path": "/kind", "value": "Pod"}]}, "changes its kind or apiVersion"),
    "type": ({"allowed": True, "patchType": "JSONPatch"}, "webhook returned response.patchType but not response.patch"),
}
BY_NAME = """
RESOURCES = "configmaps"
ANSWERS = {answers!r}

def {function}(request):
    return ANSWERS.get(request["name"].partition("-")[0])
"""
COMMAND_BY_NAME = """
import json, sys
answers = {answers!r}
name = json.load(sys.stdin)["request"]["name"]
print(json.dumps(answers.get(name.partition("-")[0], {{"allowed": True}})))
"""


@pytest.mark.parametrize(("function", "cases"), [("validate", NO_ANSWERS), ("mutate", BAD_PATCHES)])
@pytest.mark.parametrize("way", ["file", "command"])
def test_what_is_no_answer_lets_nothing_through_and_is_told(
    serving: Serving, way: str, function: str, cases: dict[str, tuple[Object, str]]
) -> None:
    text = BY_NAME if way == "file" else COMMAND_BY_NAME
    serving.write(text.format(function=function, answers={name: answer for name, (answer, _) in cases.items()}))
    mutating = ("--mutating",) if function == "mutate" else ()
    command = ("--resources=configmaps", *mutating, "--", sys.executable, "team.py")
    process = serving.begin(*(("team.py",) if way == "file" else command))
    failed = {name: serving.make(name) for name in cases}
    assert serving.make().status == 201
    out, err = serving.end(process)
    assert err == ""
    for (name, (_, told)), line in zip(cases.items(), out.splitlines(), strict=False):
        assert (failed[name].status, told in unquoted(failed[name])) == (500, True), failed[name].message
        assert f"/{name}-" in line
        assert ": failed: " in line
        assert told in line


UNFITTING = """
RESOURCES = "configmaps,deployments.apps"

PATCHES = {
    "map": ("/data", 7),
    "text": ("/data", {"a": 1}),
    "deep": ("/metadata/labels", {"a": True}),
    "flag": ("/immutable", "yes"),
    "bytes": ("/binaryData", {"a": "?"}),
    "number": ("/spec/replicas", "two"),
    "port": ("/spec/template/spec/containers/0/ports", [{"containerPort": 1.5}]),
    "probe": ("/spec/template/spec/containers/0/livenessProbe", {"tcpSocket": {"port": "http"}}),
    "amount": ("/spec/template/spec/containers/0/resources", {"limits": {"cpu": 1}}),
    "odd": ("/spec/odd", {"a": 1}),
}

def mutate(request):
    name = request["name"].partition("-")[0]
    if name in PATCHES:
        path, value = PATCHES[name]
        return {"allowed": True, "patch": [{"op": "add", "path": path, "value": value}]}
"""


def test_a_patch_that_breaks_the_object_is_told_in_the_terminal_too(serving: Serving) -> None:
    """In the cluster's own words; what the cluster takes is told as before."""
    serving.write(UNFITTING)
    process = serving.begin("team.py", "--operations=create")
    group = "/apis/apps/v1/namespaces/default/deployments"
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    answers = [serving.make(name) for name in ("good", "map", "text", "deep", "flag", "bytes")]
    answers += [
        serving.wire.ask("POST", group, {"metadata": {"name": serving.wire.fresh(name)}, "spec": spec})
        for name in ("number", "port", "probe", "amount", "odd")
    ]
    assert [answer.status for answer in answers] == [201, *[500] * 7, 201, 201, 201]
    out, err = serving.end(process)
    assert err == ""
    lines = out.splitlines()
    for answer, line in zip(answers, lines, strict=True):
        told = line.partition("; note: the cluster can't take its patch: ")[2].rpartition(" (")[0]
        if answer.status == 201:
            assert told == ""
        else:
            assert unquoted(answer).endswith(f"returned a patch that can't be applied: {told}")
            assert told.startswith(("json: cannot unmarshal ", "illegal base64 data"))


CHANGES = """
RESOURCES = "configmaps"

def mutate(request):
    kind = request["name"].partition("-")[0]
    obj = request["object"]
    if kind == "returned":
        return {**obj, "data": {"by": "return"}}
    if kind == "whole":
        response = {"allowed": True, "patch": [{"op": "add", "path": "/data", "value": {"by": "review"}}]}
        return {"kind": "AdmissionReview", "response": response}
    if kind == "gone":
        del request["object"]
        return
    if kind == "set":
        obj["data"] = {"a", "b"}
        return
    if kind == "nan":
        obj["data"] = {"a": float("nan")}
        return
    obj["data"] = {"by": "change"}
    if kind == "warned":
        return {"allowed": True, "warnings": ["careful"]}
    if kind == "both":
        return {"allowed": True, "patch": [{"op": "add", "path": "/data", "value": {"by": "patch"}}]}
    if kind == "extra":
        return {"allowed": True, "warning": "careful"}
    if kind == "refused":
        return False

def validate(request):
    if request["name"].startswith("looked"):
        request["object"]["data"] = {}
"""


def test_what_mutate_changed_is_never_lost_without_a_word(serving: Serving) -> None:
    serving.write(CHANGES)
    process = serving.begin("team.py")
    by = {name: serving.make(name).json["data"]["by"] for name in ("returned", "whole", "warned", "both", "extra", "looked")}
    assert by == {"returned": "return", "whole": "review", "warned": "change", "both": "patch", "extra": "change", "looked": "change"}
    assert serving.make("refused").status == 403
    assert 'mutate left None as request["object"]' in unquoted(serving.make("gone"))
    assert 'what mutate left in request["object"] is no JSON: Object of type set is not JSON' in unquoted(serving.make("set"))
    assert 'what mutate left in request["object"] is no JSON: ' in unquoted(serving.make("nan"))
    lines = [line for line in serving.end(process)[0].splitlines() if ": allowed (" not in line]
    assert ": allowed, changes /data; warns: careful (" in lines[2]
    assert '; note: what mutate changed in request["object"] comes to nothing: the answer has a patch of its own (' in lines[3]
    assert '; note: "warning" in the answer means nothing (' in lines[4]
    assert '; note: what validate changed in request["object"] comes to nothing: only mutate can change it (' in lines[6]


def test_a_reason_is_told_where_there_is_no_message(serving: Serving) -> None:
    serving.write('RESOURCES = "configmaps"\ndef validate(request): return {"allowed": False, "status": {"reason": "Because"}}\n')
    process = serving.begin("team.py")
    assert serving.make().status == 400
    assert ": denied: Because (" in serving.end(process)[0]


def test_a_refusal_without_a_reason_is_given_none(serving: Serving) -> None:
    serving.write('RESOURCES = "configmaps"\ndef validate(request): return {"allowed": False, "status": {"code": 418}}\n')
    serving.begin("team.py")
    serving.write('{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "tea"}}', "tea.json")
    assert "refused by ValidatingAdmissionWebhook (418)\n" in serving.svcsim("admit", "-f", "tea.json").stdout


def test_a_handler_that_hangs_is_given_up(serving: Serving) -> None:
    serving.write("import time\ndef validate(request):\n    time.sleep(60 if request['name'].startswith('hang') else 0)\n")
    serving.begin("team.py", "--resources", "configmaps", "--timeout", "3s", "--operations", "create")
    assert serving.make("hang").status == 500
    assert serving.make().status == 201


def test_a_function_may_wait(serving: Serving) -> None:
    serving.write('RESOURCES = "configmaps"\nasync def validate(request):\n    return "not today"\n')
    serving.begin("team.py")
    assert serving.make().message.endswith("denied the request: not today")


def test_it_is_loaded_again_when_it_changes(serving: Serving) -> None:
    serving.write(
        'RESOURCES = "configmaps"\nfrom words import WORD\ndef mutate(request):\n    request["object"]["data"] = {"word": WORD}\n'
    )
    serving.write('WORD = "one"\n', "words.py")
    process = serving.begin("team.py")
    assert serving.make().json["data"] == {"word": "one"}
    serving.write('WORD = "another"\n', "words.py")
    serving.until(lambda: serving.make().json.get("data") == {"word": "another"})
    serving.write("def mutate(request) nothing\n")
    serving.until(lambda: "team.py:1: SyntaxError" in str(serving.make().json.get("message")))
    serving.write('RESOURCES = "configmaps"\ndef validate(request): return "closed"\n')
    serving.until(lambda: serving.registered() == ["validating svcsim-team"] and serving.make().status == 403)
    serving.write('RESOURCES = "secrets"\ndef validate(request): return "closed"\n')
    serving.until(lambda: serving.make().status == 201)
    _, err = serving.end(process)
    assert "team.py was loaded again\n" in err
    assert 'Webhook "svcsim-team" (validate) is asked about CREATE, UPDATE of configmaps now.\n' in err
    assert 'Webhook "svcsim-team" (validate) is asked about CREATE, UPDATE of secrets now.\n' in err


def test_a_command_is_run_for_each_review(serving: Serving) -> None:
    serving.write(
        """
        import base64, json, sys
        review = json.load(sys.stdin)
        name = review["request"]["name"]
        if name.startswith("bad"):
            sys.exit("it went wrong")
        if name.startswith("nonsense"):
            print("nonsense")
            sys.exit()
        patch = base64.b64encode(json.dumps([{"op": "add", "path": "/data", "value": {"by": sys.argv[1]}}]).encode()).decode()
        response = {"uid": review["request"]["uid"], "allowed": True, "patchType": "JSONPatch", "patch": patch}
        print(json.dumps({**review, "response": response} if name.startswith("whole") else response))
        """,
        "handler.py",
    )
    process = serving.begin(
        "--mutating", "--resources=configmaps", "-o", "json", "--name", "mine", "--", sys.executable, "handler.py", "me"
    )
    assert serving.registered() == ["mutating mine"]
    assert serving.make().json["data"] == serving.make("whole").json["data"] == {"by": "me"}
    assert "ended with status 1: it went wrong" in serving.make("bad").message
    assert "wrote no JSON" in serving.make("nonsense").message
    out, _ = serving.end(process, signal.SIGTERM)
    first = json.loads(out.splitlines()[0])
    assert (first["request"]["operation"], first["response"]["allowed"], first["trouble"]) == ("CREATE", True, "")


def test_a_failure_may_be_ignored_and_a_namespace_be_meant(serving: Serving) -> None:
    serving.write('FAILURE_POLICY = "Ignore"\nRESOURCES = ["configmaps"]\ndef validate(request): raise ValueError\n')
    process = serving.begin("team.py")
    assert serving.make().status == 201
    serving.end(process)
    serving.begin("team.py", "-n", "elsewhere", "--failure-policy=Fail")
    assert serving.make().status == 201


def test_what_somebody_else_registered_is_not_touched(serving: Serving) -> None:
    serving.write(BOTH)
    group = serving.wire.dialect.group("admissionregistration")
    path = f"/apis/{group}/v1/validatingwebhookconfigurations"
    serving.wire.create(path, {"metadata": {"name": "svcsim-team"}, "webhooks": []})
    said = serving.refused("team.py")
    what = 'the ValidatingWebhookConfiguration "svcsim-team" is there, and not made by this command'
    assert said == f"error: {what}: choose another name with --name\n"
    assert serving.registered() == ["validating svcsim-team"]
    serving.wire.ask("DELETE", f"{path}/svcsim-team")
    process = serving.begin("team.py")
    assert f"is served by process {process.pid}: end that, or choose another name with --name" in serving.refused("team.py")


def test_what_was_left_behind_is_taken_over(serving: Serving) -> None:
    serving.write(BOTH)
    process = serving.begin("team.py")
    process.kill()
    process.communicate()
    serving.running.remove(process)
    assert serving.make().status == 500
    serving.begin("team.py")
    assert serving.make().json["data"] == {"team": "blue"}


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ("", ("nowhere.py", "--resources=pods"), 'there is no file "nowhere.py"; a command stands behind --'),
        ("def other(): pass", ("team.py", "--resources=pods"), "team.py defines neither mutate(request) nor validate(request)"),
        ("def validate(request)", ("team.py", "--resources=pods"), "team.py:1: SyntaxError: expected ':'"),
        (BOTH.replace("RESOURCES", "OTHERS"), ("team.py",), "say what it is to be asked about: --resources=pods,deployments.apps"),
        (BOTH, ("team.py", "--resources=nonsense"), "the server doesn't have a resource type"),
        (
            BOTH,
            ("--resources", "pods,*.apps", "./no.sh", "-ndefault", "--mutating"),
            "a command stands behind --, after all flags: svcsim webhook serve --resources 'pods,*.apps' -ndefault --mutating -- ./no.sh\n",
        ),
        (BOTH, ("team.py", "--resources=pods", "--operations=CONNECT"), '"pods" is never connected to: of what is below it, attach, exec'),
        (BOTH, ("team.py", "--operations=READ"), '--operations are CREATE, UPDATE, DELETE, CONNECT or *, not "READ"'),
        (BOTH, ("team.py", "--timeout=1m"), "--timeout is between 1s and 30s"),
        (BOTH, ("team.py", "--failure-policy=Maybe"), '--failure-policy is Fail or Ignore, not "Maybe"'),
        (BOTH, ("team.py", "--port=70000"), "--port: there is no port 70000"),
        (BOTH, ("team.py", "--name=Bad Name"), '--name: "Bad Name" can\'t be the name of a webhook: a lowercase RFC 1123 subdomain'),
        ("FAILURE_POLICY = 'Maybe'\n" + BOTH, ("team.py",), "FAILURE_POLICY in the file is Fail or Ignore, not 'Maybe'"),
        (BOTH, ("team.py", "--mutating"), "--mutating is for commands"),
        (BOTH, ("team.py", "other.py"), "give one file, or -- and a command"),
        (BOTH, (), "give one file, or -- and a command"),
        (BOTH, ("--resources=pods", "--", "./nowhere"), "./nowhere can't be run: there is no such program"),
        (BOTH, ("--resources=pods", "--", "./team.py"), "./team.py can't be run: it is no program"),
        (BOTH, ("team.py", "--resources=pods/nosub"), 'there is no "pods/nosub"; below pods there is: '),
        ("def validate(): pass", ("team.py", "--resources=pods"), "validate can't be called with a request, as validate(request): "),
        ("RESOURCES = {1}\ndef validate(request): pass", ("team.py",), "RESOURCES is no JSON: Object of type set is not JSON"),
        (BOTH, ("team.py", "--", "cat"), "give a file, or -- and a command"),
    ],
)
def test_mistakes_are_told_in_a_line(serving: Serving, text: str, words: tuple[str, ...], said: str) -> None:
    serving.write(text)
    told = serving.refused(*words)
    assert said in told
    assert told.startswith("error: ") or "SyntaxError" in told


def test_a_port_that_is_taken_is_told(serving: Serving) -> None:
    serving.write(BOTH)
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        said = serving.refused("team.py", f"--port={taken}")
    assert said == f"error: --port: nobody can listen on {taken}: address already in use\n"


def test_it_is_not_for_clusters_elsewhere(serving: Serving) -> None:
    serving.write(BOTH)
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": "https://cluster.example.com:6443"}}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    file = serving.directory / "config"
    file.write_text(json.dumps(config))
    file.chmod(0o600)
    said = serving.refused("team.py", "--kubeconfig", str(file))
    assert said.startswith("error: the cluster at https://cluster.example.com:6443 can't call a webhook on this machine")


def test_it_ends_where_nobody_reads_what_it_prints(serving: Serving) -> None:
    serving.write(BOTH)
    process = serving.begin("team.py")
    assert process.stdout is not None
    process.stdout.close()
    assert serving.make().status == 201
    assert process.wait(PATIENCE_S) == 0
    assert process.stderr is not None
    assert "Error" not in process.stderr.read()
    process.stderr.close()
    serving.running.remove(process)
    assert serving.registered() == []


def test_reviews_are_answered_where_nothing_can_be_printed(serving: Serving) -> None:
    serving.write(BOTH)
    with Path("/dev/full").open("wb") as full:
        process = serving.begin("team.py", "-o", "json", out=full)
    for _ in range(2):
        assert serving.make().json["data"] == {"team": "blue"}
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_S)
    serving.running.remove(process)
    assert err.count("can't be printed any longer: no space left on device") == 1
    assert "Traceback" not in err


def test_a_file_that_is_gone_for_a_while_is_told_and_read_when_it_is_back(serving: Serving) -> None:
    serving.write(BOTH)
    serving.begin("team.py")
    (serving.directory / "team.py").unlink()
    serving.until(lambda: "team.py can't be read: no such file or directory" in str(serving.make().json.get("message")))
    serving.write(BOTH.replace("blue", "green"))
    serving.until(lambda: serving.make().json.get("data") == {"team": "green"})


HANGING = """
#!/bin/sh
cat > review
sleep 1234 &
echo $! > child
if grep -q '"hang-' review; then sleep 1234 & echo $! > other; wait; fi
echo '{"allowed": true}'
"""


def test_a_command_is_over_when_it_has_ended_and_with_it_what_it_started(serving: Serving) -> None:
    serving.write(HANGING.lstrip(), "handler.sh")
    process = serving.begin("--resources=configmaps", "--timeout=2s", "--", "sh", "handler.sh")
    assert serving.make().status == 201
    serving.until(lambda: not is_running(serving.read("child")))
    serving.until(lambda: "sh took longer than 2 seconds" in serving.make("hang").message)  # if it can be told before the cluster gives up
    serving.until(lambda: not is_running(serving.read("child")) and not is_running(serving.read("other")))
    out, _ = serving.end(process)
    assert [line.split(" by ")[1].split(": ", 1)[1].split(" (")[0] for line in out.splitlines()] == [
        "allowed",
        "failed: sh took longer than 2 seconds",
    ]


def test_nothing_that_was_started_for_a_review_goes_on_after_the_end(serving: Serving) -> None:
    serving.write(HANGING.lstrip(), "handler.sh")
    process = serving.begin("--resources=configmaps", "--timeout=30s", "--", "sh", "handler.sh")
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(serving.make, "hang")
        serving.until(lambda: serving.read("other").endswith("\n"))
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert "Ctrl-C ends it at once" in process.stderr.readline()
        serving.end(process)
        assert asked.result().status == 500
    serving.until(lambda: not is_running(serving.read("child")) and not is_running(serving.read("other")))


def test_each_review_that_takes_too_long_says_so_and_leaves_nothing_running(serving: Serving) -> None:
    serving.write(
        """
        import subprocess
        RESOURCES = "configmaps"
        def validate(request):
            child = subprocess.Popen(["sleep", "1234"])
            with open("child", "w") as file:
                print(child.pid, file=file)
            child.wait()
        """
    )
    process = serving.begin("team.py", "--timeout=2s")
    for _ in range(3):
        assert "team.py took longer than 2 seconds" in serving.make("hang").message
        assert not is_running(serving.read("child"))
    out, _ = serving.end(process)
    assert out.count(": failed: team.py took longer than 2 seconds (") == 3


def test_a_cluster_that_is_gone_is_told_and_one_that_is_back_asks_again(tmp_path: Path) -> None:
    home = tmp_path / "home"
    options = (home, "kubernetes", "--nodes", "0", "--ephemeral")
    (tmp_path / "team.py").write_text(BOTH)
    with ExitStack() as stack:
        server = stack.enter_context(served(*options))
        wire = stack.enter_context(closing(Wire(server)))
        serving = Serving(wire, Path(), tmp_path)
        serving.forget_configuration()
        process = serving.begin("team.py")
        assert process.stderr is not None
        server.process.kill()
        assert process.stderr.readline() == "The cluster is gone; once it is back, it asks this webhook again.\n"
        server = stack.enter_context(served(*options))
        assert process.stderr.readline() == "The cluster is back.\n"
        serving.wire = stack.enter_context(closing(Wire(server)))
        serving.until(lambda: serving.make().json.get("data") == {"team": "blue"})
        server.process.kill()
        server.process.wait()
        serving.write(BOTH.replace("blue", "green"))  # which nobody can be told: that the cluster is gone says so
        told: set[str] = set()
        while len(told) < 2:
            told |= {process.stderr.readline()} - {"this is no answer\n"}
        assert told == {"team.py was loaded again\n", "The cluster is gone; once it is back, it asks this webhook again.\n"}
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 1
        assert "start this command once more and end it, or delete mutatingwebhookconfiguration/svcsim-team and validating" in err
