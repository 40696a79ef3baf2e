"""Configurations of admission plugins, read strictly: whatever is of the wrong type, or known to nobody, is told in one line."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest

from svcsim.cluster.admission_check import checked_admission_config
from svcsim.dialect import DIALECTS
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.types import Json, Object

DIALECT = DIALECTS["kubernetes"]
REMOTE = {
    "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
    "contexts": [{"name": "x", "context": {"cluster": "c"}}],
    "current-context": "x",
}


def plugin(name: str, group: str, version: str, kind: str, **content: Json) -> Object:
    return {"name": name, "configuration": {"apiVersion": f"{DIALECT.group(group)}/{version}", "kind": kind, **content}}


POLICY = {"kubeConfigFile": "remote.json", "allowTTL": 50, "denyTTL": 50, "retryBackoff": 500, "defaultAllow": True}
TOLERATION = {"key": "a", "operator": "Equal", "value": "b", "effect": "NoExecute", "tolerationSeconds": 5}
SCOPE = {"scopeName": "PriorityClass", "operator": "In", "values": ["top"]}
LEVELS = {"enforce": "baseline", "enforce-version": "v1.30", "audit": "restricted", "warn-version": "latest"}
WHOLE: Object = {
    "apiVersion": f"{DIALECT.group('apiserver.config')}/v1",
    "kind": "AdmissionConfiguration",
    "plugins": [
        {"name": "ImagePolicyWebhook", "configuration": {"imagePolicy": POLICY}},
        {"name": "PodNodeSelector", "configuration": {"podNodeSelectorPluginConfig": {"clusterDefaultNodeSelector": "a=b"}}},
        plugin(
            "EventRateLimit",
            *("eventratelimit.admission", "v1alpha1", "Configuration"),
            limits=[{"type": "User", "qps": 1, "burst": 1, "cacheSize": 5}],
        ),
        plugin(
            "PodTolerationRestriction",
            *("podtolerationrestriction.admission", "v1alpha1", "Configuration"),
            default=[TOLERATION],
            whitelist=[TOLERATION],
        ),
        plugin(
            "ResourceQuota",
            *("apiserver.config", "v1", "ResourceQuotaConfiguration"),
            limitedResources=[{"apiGroup": "", "resource": "pods", "matchContains": ["pods"], "matchScopes": [SCOPE]}],
        ),
        plugin(
            "PodSecurity",
            *("pod-security.admission.config", "v1", "PodSecurityConfiguration"),
            defaults=LEVELS,
            exemptions={"usernames": ["a"], "namespaces": ["b"], "runtimeClasses": ["c"]},
        ),
        plugin("MutatingAdmissionWebhook", *("apiserver.config", "v1", "WebhookAdmissionConfiguration"), kubeConfigFile="remote.json"),
    ],
}
WRONG: tuple[Json, ...] = (["a"], {"a": "b"}, [["a"]], [7], 7, 0, 1.5, -7, False, True, "", "\n", [None], 10**12)


def places(value: Json, *way: str | int) -> Iterator[tuple[str | int, ...]]:
    """The ways to all values in one."""
    yield way
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inside in steps:
        yield from places(inside, *way, step)


PLACES = [way for way in places(WHOLE) if way]


def at(value: Json, way: tuple[str | int, ...]) -> Json:
    for step in way:
        value = value[step]
    return value


def told(directory: Path, config: Json) -> str:
    (directory / "remote.json").write_text(json.dumps(REMOTE))
    (directory / "remote.json").chmod(0o600)
    file = directory / "admission.json"
    file.write_text(json.dumps(config))
    try:
        checked_admission_config(file, DIALECT)
    except ConfigurationError as error:
        return str(error)
    return ""


def test_it_may_say_all_that_there_is(tmp_path: Path) -> None:
    assert told(tmp_path, WHOLE) == ""


@pytest.mark.parametrize("way", PLACES, ids=lambda way: ".".join(map(str, way)))
def test_a_value_of_the_wrong_type_is_told_in_a_line(tmp_path: Path, way: tuple[str | int, ...]) -> None:
    for wrong in WRONG:
        config = deepcopy(WHOLE)
        at(config, way[:-1])[way[-1]] = wrong
        said = told(tmp_path, config)
        assert "\n" not in said or way[-1] == "kubeConfigFile"  # a file may be called so
        right = at(WHOLE, way)
        if isinstance(right, str | list | dict) and not isinstance(wrong, type(right)):
            assert said.startswith("--admission-control-config-file: "), wrong


def test_null_is_nothing(tmp_path: Path) -> None:
    lists = ("usernames", "namespaces", "runtimeClasses", "whitelist", "matchContains", "values")
    for way in (one for one in PLACES if one[-1] in (*lists, "exemptions", "defaults")):
        config = deepcopy(WHOLE)
        at(config, way[:-1])[way[-1]] = None
        assert told(tmp_path, config) == "", way


@pytest.mark.parametrize("way", [(), *(way for way in PLACES if isinstance(at(WHOLE, way), dict))], ids=lambda way: ".".join(map(str, way)))
def test_a_field_that_nobody_knows_is_told(tmp_path: Path, way: tuple[str | int, ...]) -> None:
    config = deepcopy(WHOLE)
    at(config, way)["unheard\n"] = "a"
    said = told(tmp_path, config)
    if way[-1:] == ("podNodeSelectorPluginConfig",):
        assert "unheard\n: has a, which should read like zone=a" in said  # its fields are namespaces
    else:
        assert 'has no field "unheard\\n"; it has ' in said


@pytest.mark.parametrize(
    ("field", "wrong", "why"),
    [
        ("tolerationSeconds", 1.5, "default[0]: json: cannot unmarshal number 1.5 into Go struct field Toleration.tolerationSeconds"),
        ("operator", "Like", 'default[0].operator: Unsupported value: "Like": supported values: "Equal", "Exists"'),
        ("effect", "Never", 'default[0].effect: Unsupported value: "Never"'),
        ("key", "a b", "default[0].key: Invalid value"),
    ],
)
def test_tolerations_are_such_as_pods_can_have(tmp_path: Path, field: str, wrong: Json, why: str) -> None:
    config = deepcopy(WHOLE)
    found = at(config, ("plugins", 3, "configuration", "default", 0))
    del found["tolerationSeconds"]
    assert told(tmp_path, config) == ""
    found[field] = wrong
    assert why in told(tmp_path, config)


def test_it_may_ask_again_at_once(tmp_path: Path) -> None:
    config = deepcopy(WHOLE)
    policy = at(config, ("plugins", 0, "configuration", "imagePolicy"))
    policy.update(dict.fromkeys(("allowTTL", "denyTTL", "retryBackoff"), -1))
    assert told(tmp_path, config) == ""
