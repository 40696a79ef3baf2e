"""What makes annotations of pods wrong that say what fields say."""

import pytest

from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.kinds.core.pod import POD
from tests.kinds.helpers import context, findings
from tests.kinds.wrong_pods import CONTAINER, check, pod

ARMOR, SECCOMP = "container.apparmor.security.beta.{domain}", "container.seccomp.security.alpha.{domain}"
ANNOTATIONS = [
    ("{domain}/config.mirror", "x", {}, ['[{key}]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set']),
    ("controller.{domain}/pod-deletion-cost", "text", {}, ['[{key}]: Invalid value: "text": must be a 32bit integer']),
    ("controller.{domain}/pod-deletion-cost", "+10", {}, ['[{key}]: Invalid value: "+10": must be a 32bit integer']),
    ("controller.{domain}/pod-deletion-cost", "008", {}, ['[{key}]: Invalid value: "008": must be a 32bit integer']),
    (
        "controller.{domain}/pod-deletion-cost",
        "9223372036854775807",
        {},
        ['[{key}]: Invalid value: "9223372036854775807": must be a 32bit integer'],
    ),
    ("seccomp.security.alpha.{domain}/pod", "foo", {}, ['.{key}: Invalid value: "foo": must be a valid seccomp profile']),
    (f"{SECCOMP}/a", "localhost/../foo", {}, [".{key}: Invalid value: \"../foo\": must not contain '..'"]),
    (f"{SECCOMP}/a", "localhost//foo", {}, ['.{key}: Invalid value: "/foo": must be a relative path']),
    (f"{ARMOR}/b", "runtime/default", {}, ['[{key}]: Invalid value: "b": container not found']),
    (f"{ARMOR}/a", "bad-name", {}, ['[{key}]: Invalid value: "bad-name": invalid AppArmor profile name: "bad-name"']),
]


@pytest.mark.parametrize("dialect", [KUBERNETES, SVCAPI], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize(("key", "value", "spec", "expected"), ANNOTATIONS)
def test_annotations(dialect, key, value, spec, expected):
    key = key.replace("{domain}", dialect.domain)
    obj = {**pod(**spec), "metadata": {"name": "p", "annotations": {key: value}}}
    assert findings(POD, obj, context(dialect)) == [f"metadata.annotations{text}".replace("{key}", key) for text in expected]


FITTING = [
    (
        "seccomp.security.alpha.{domain}/pod",
        "unconfined",
        {"securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}},
        "securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match",
    ),
    (
        "seccomp.security.alpha.{domain}/pod",
        "localhost/x",
        {"securityContext": {"seccompProfile": {"type": "Localhost", "localhostProfile": "y"}}},
        "securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and field must match",
    ),
    (
        f"{SECCOMP}/a",
        "runtime/default",
        {"containers": [{**CONTAINER, "securityContext": {"seccompProfile": {"type": "Unconfined"}}}]},
        "containers[0].securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match",
    ),
    (
        f"{ARMOR}/a",
        "unconfined",
        {"securityContext": {"appArmorProfile": {"type": "RuntimeDefault"}}},
        "containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match",
    ),
    (
        f"{ARMOR}/a",
        "localhost/x",
        {"containers": [{**CONTAINER, "securityContext": {"appArmorProfile": {"type": "Localhost", "localhostProfile": "y"}}}]},
        "containers[0].securityContext.appArmorProfile.localhostProfile: Forbidden: apparmor profile in annotation and field must match",
    ),
]


@pytest.mark.parametrize(("key", "value", "spec", "expected"), FITTING)
def test_annotations_say_what_fields_say(key, value, spec, expected):
    obj = {**pod(**spec), "metadata": {"name": "p", "annotations": {key.replace("{domain}", "kubernetes.io"): value}}}
    check(obj, [f"spec.{expected}"])
