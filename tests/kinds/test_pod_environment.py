"""What makes variables of containers wrong, and signals that stop them, each with path, reason and words."""

import pytest

from tests.kinds.wrong_pods import CONTAINER, ONE, QUALIFIED, check, check_beginnings, pod, with_container

UNSET = "Forbidden: may not be set for containers with empty `spec.os.name`"
NO_SUBSCRIPT = "error converting fieldPath: field label does not support subscript: spec.nodeName['a']"
SOURCE = f"{ONE}.env[0].valueFrom"
FILE = {"volumeName": "v", "path": "a/b", "key": "A"}


def from_field(path):
    return with_container(env=[{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": path}}}])


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("metadata.labels['app.kubernetes.io/name']", []),
        ("metadata.annotations['A']", []),
        ("metadata.annotations['A!']", [f'fieldRef: Invalid value: "a!": name part {QUALIFIED}']),
        ("metadata.labels['A!']", [f'fieldRef: Invalid value: "A!": name part {QUALIFIED}']),
        ("spec.nodeName['a']", [f"fieldRef.fieldPath: Invalid value: \"spec.nodeName['a']\": {NO_SUBSCRIPT}"]),
        (
            "['a']",
            ["fieldRef.fieldPath: Invalid value: \"['a']\": error converting fieldPath: field label not supported: ['a']"],
        ),
    ],
)
def test_one_label_or_annotation_in_a_variable(path, expected):
    check(from_field(path), [f"{SOURCE}.{text}" for text in expected])


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (FILE, []),
        ({**FILE, "key": "1=2"}, [".key: Invalid value: "]),
        ({}, [".volumeName: Required value", ".path: Required value", ".key: Required value"]),
        ({**FILE, "path": "/a"}, ['.path: Invalid value: "/a": must be a relative path']),
        ({**FILE, "path": "a/../b"}, [".path: Invalid value: \"a/../b\": must not contain '..'"]),
        ({**FILE, "path": "..a"}, [".path: Invalid value: \"..a\": must not start with '..'"]),
        ({**FILE, "volumeName": "x"}, ['.volumeName: Not found: "x"']),
        ({**FILE, "volumeName": "s"}, ['.volumeName: Invalid value: "s": referenced volume must be of type emptyDir']),
    ],
)
def test_a_variable_from_a_file(source, expected):
    container = {**CONTAINER, "env": [{"name": "A", "valueFrom": {"fileKeyRef": source}}]}
    volumes = [{"name": "v", "emptyDir": {}}, {"name": "s", "secret": {"secretName": "s"}}]
    check_beginnings(pod(containers=[container], volumes=volumes), [f"{SOURCE}.fileKeyRef{text}" for text in expected])


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ([{"configMapRef": {"name": "a"}}, {"secretRef": {"name": "a"}, "prefix": "P_"}], []),
        ([{"configMapRef": {}}], ["envFrom[0].configMapRef.name: Required value"]),
        ([{"secretRef": {"name": ""}}], ["envFrom[0].secretRef.name: Required value"]),
        ([{}], ['envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`']),
        (
            [{"configMapRef": {"name": "a"}, "secretRef": {"name": "a"}}],
            ['envFrom: Invalid value: "": may not have more than one field specified at a time'],
        ),
    ],
)
def test_sets_of_variables(sources, expected):
    check(with_container(envFrom=sources), [f"{ONE}.{text}" for text in expected])


@pytest.mark.parametrize(
    ("system", "signal", "expected"),
    [
        (None, None, []),
        (None, "SIGTERM", [UNSET]),
        ("linux", "SIGUSR1", []),
        ("linux", "SIGRTMIN+15", []),
        ("linux", "SIGRTMAX-14", []),
        ("linux", "SIGRTMIN+16", ['Unsupported value: "SIGRTMIN+16": supported values: "SIGABRT", "SIGALRM", ']),
        ("linux", "TERM", ['Unsupported value: "TERM": supported values: "SIGABRT", ']),
        ("windows", "SIGKILL", []),
        ("windows", "SIGHUP", ['Unsupported value: "SIGHUP": supported values: "SIGKILL", "SIGTERM"']),
        ("beos", "SIGHUP", None),
    ],
)
def test_which_signals_stop_a_container_the_system_says(system, signal, expected):
    lifecycle = {} if signal is None else {"stopSignal": signal}
    spec = pod(containers=[{**CONTAINER, "lifecycle": lifecycle}], **({} if system is None else {"os": {"name": system}}))
    if expected is None:
        check(spec, ['spec.os: Unsupported value: "beos": supported values: "linux", "windows"'])
    else:
        check_beginnings(spec, [f"{ONE}.lifecycle.stopSignal: {text}" for text in expected])
