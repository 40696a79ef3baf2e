"""Names and metadata, and the sentences that refuse them."""

import pytest

from svcsim import limits
from svcsim.meta import names

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "a", "uid": "1"}


@pytest.mark.parametrize(
    ("rule", "good"),
    [
        (names.dns_label, "a-1"),
        (names.dns_subdomain, "a.b-c.d"),
        (names.dns_1035_label, "a1"),
        (names.qualified_name, "example.com/My_name.1"),
        (names.label_value, ""),
        (names.label_value, "a_b.C"),
        (names.path_segment, "system:node"),
        (names.config_map_key, "..data"[1:]),
        (names.env_var_name, "MY.ENV-1"),
        (names.port_name, "http-2"),
    ],
)
def test_good_names_have_no_findings(rule, good):
    assert rule(good) == []


@pytest.mark.parametrize(
    ("rule", "bad", "finding"),
    [
        (names.dns_subdomain, "My", SUBDOMAIN),
        (names.dns_subdomain, "", SUBDOMAIN),
        (names.dns_subdomain, "a\n", SUBDOMAIN),
        (names.dns_subdomain, "a" * 254, "must be no more than 253 characters"),
        (names.dns_label, "a" * 64, "must be no more than 63 characters"),
        (names.dns_label, "a.b", "must not contain dots"),
        (names.label_value, "-", LABEL_VALUE),
        (names.label_value, "a" * 64, "must be no more than 63 characters"),
        (names.qualified_name, "a/", "name part must be non-empty"),
        (names.qualified_name, "/a", "prefix part must be non-empty"),
        (names.path_segment, "..", "may not be '..'"),
        (names.path_segment, "a/b", "may not contain '/'"),
        (names.config_map_key, "..a", "must not start with '..'"),
        (names.port_name, "a--b", "must not contain consecutive hyphens"),
        (names.port_name, "80", "must contain at least one letter (a-z)"),
    ],
)
def test_bad_names_are_told_why(rule, bad, finding):
    assert finding in rule(bad)


def findings(metadata, **changes):
    rules = {"namespaced": True, "name_rule": names.dns_subdomain} | changes
    return {(f.path, f.message) for f in names.validate_metadata(metadata, "metadata", **rules)}


def test_metadata_that_keeps_the_rules():
    good = {"name": "a", "namespace": "b", "labels": {"x": "y"}, "annotations": {"Example.com/A": "é"}, "ownerReferences": [OWNER]}
    assert findings({**good, "finalizers": ["example.com/wait"], "generateName": "a-"}) == set()


@pytest.mark.parametrize(
    ("metadata", "path", "message"),
    [
        ({}, "metadata.name", "Required value: name or generateName is required"),
        ({"name": "A"}, "metadata.name", f'Invalid value: "A": {SUBDOMAIN}'),
        ({"name": "a", "labels": {"x": "-"}}, "metadata.labels", f'Invalid value: "-": {LABEL_VALUE}'),
        ({"name": "a", "annotations": {"x": "é" * (limits.ANNOTATIONS_BYTES // 2)}}, "metadata.annotations",
         "Too long: may not be more than 262144 bytes"),
        ({"name": "a", "ownerReferences": [{**OWNER, "uid": ""}]}, "metadata.ownerReferences[0].uid",
         'Invalid value: "": uid must not be empty'),
    ],
)  # fmt: skip
def test_metadata_that_breaks_a_rule(metadata, path, message):
    assert findings({"namespace": "b"} | metadata) == {(path, message)}


def test_one_owner_at_the_most_is_the_controller():
    owners = [{**OWNER, "controller": True}, {**OWNER, "controller": True, "name": "b"}]
    (finding,) = names.validate_owner_references(owners, "owners")
    assert finding.message.endswith('Found "true" in references for ReplicaSet/a and ReplicaSet/b')


def test_a_namespace_belongs_to_namespaced_kinds_alone():
    assert findings({"name": "a"}) == {("metadata.namespace", "Required value")}
    told = findings({"name": "a", "namespace": "b"}, namespaced=False)
    assert told == {("metadata.namespace", "Forbidden: not allowed on this type")}
