"""Ingress and IngressClass: what is wrong with one, what may change, what is filled in, and how it looks in a table."""

import pytest

from svcsim.dialect import KUBERNETES, SVCAPI
from svcsim.kinds.networking.ingress import INGRESS
from svcsim.kinds.networking.ingress_class import INGRESS_CLASS
from svcsim.schema.common import object_struct
from svcsim.schema.compile import compile_struct
from tests.kinds.helpers import change_findings, context, created, findings, row, texts, warned
from tests.kinds.samples.networking import FULL

WEB = {"service": {"name": "web", "port": {"number": 80}}}
SUBDOMAIN = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'"
WILDCARD = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain"
NO_DNS = "must be a DNS name, not an IP address"
PORT = "must be between 1 and 65535, inclusive"
PATH = "spec.rules[0].http.paths[0]"
BACKEND = "spec.defaultBackend"


def ingress(**spec):
    return {"spec": {"defaultBackend": WEB, **spec}}


def rule(path="/", kind="Prefix", host="a.example.com", **backend):
    """An Ingress with one rule."""
    item = {"path": path, "pathType": kind, "backend": backend or WEB}
    return ingress(rules=[{"host": host, "http": {"paths": [item]}}])


def service(**parts):
    return ingress(defaultBackend={"service": {"name": "web", **parts}})


def resource(**parts):
    return ingress(defaultBackend={"resource": {"kind": "Bucket", "name": "files", **parts}})


def host(name):
    return ingress(rules=[{"host": name}])


def tls(**parts):
    return ingress(tls=[parts])


WRONG = {
    "nothing to do": ({"spec": {}}, "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"),
    "no rules": ({"spec": {"rules": []}}, "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"),
    "a class with a bad name": (ingress(ingressClassName="A"), f'spec.ingressClassName: Invalid value: "A": {SUBDOMAIN}'),
    "an empty class": (ingress(ingressClassName=""), f'spec.ingressClassName: Invalid value: "": {SUBDOMAIN}'),
    "a backend that is none": (ingress(defaultBackend={}), f'{BACKEND}: Invalid value: "": resource or service backend is required'),
    "two backends": (
        ingress(defaultBackend={**WEB, "resource": {"kind": "Bucket", "name": "files"}}),
        f'{BACKEND}: Invalid value: "": cannot set both resource and service backends',
    ),
    "a service without a name": (
        ingress(defaultBackend={"service": {"port": {"number": 80}}}),
        f"{BACKEND}.service.name: Required value",
    ),
    "a service with a bad name": (
        service(name="1a", port={"number": 80}),
        f'{BACKEND}.service.name: Invalid value: "1a": a DNS-1035 label must consist of',
    ),
    "a service without a port": (service(), f"{BACKEND}: Required value: port name or number is required"),
    "a port by name and number": (
        service(port={"name": "http", "number": 80}),
        f'{BACKEND}: Invalid value: "": cannot set both port name & port number',
    ),
    "a number that is too large": (service(port={"number": 65536}), f"{BACKEND}.service.port.number: Invalid value: 65536: {PORT}"),
    "a number that is too small": (service(port={"number": -1}), f"{BACKEND}.service.port.number: Invalid value: -1: {PORT}"),
    "a port with a bad name": (
        service(port={"name": "a_b"}),
        f'{BACKEND}.service.port.name: Invalid value: "a_b": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    ),
    "an object of a bad group": (resource(apiGroup="a/b"), f'{BACKEND}.resource.apiGroup: Invalid value: "a/b": {SUBDOMAIN}'),
    "an object of an empty group": (resource(apiGroup=""), f'{BACKEND}.resource.apiGroup: Invalid value: "": {SUBDOMAIN}'),
    "an object without a kind": (resource(kind=""), f"{BACKEND}.resource.kind: Required value"),
    "an object of a bad kind": (resource(kind="a/b"), f"{BACKEND}.resource.kind: Invalid value: \"a/b\": may not contain '/'"),
    "an object without a name": (resource(name=""), f"{BACKEND}.resource.name: Required value"),
    "an object with a bad name": (resource(name=".."), f"{BACKEND}.resource.name: Invalid value: \"..\": may not be '..'"),
    "a host that is an address": (host("1.2.3.4"), f'spec.rules[0].host: Invalid value: "1.2.3.4": {NO_DNS}'),
    "a host with a port": (host("example.com:80"), f'spec.rules[0].host: Invalid value: "example.com:80": {SUBDOMAIN}'),
    "a host in capitals": (host("Example.com"), f'spec.rules[0].host: Invalid value: "Example.com": {SUBDOMAIN}'),
    "a wildcard in the middle": (host("a.*.com"), f'spec.rules[0].host: Invalid value: "a.*.com": {WILDCARD}'),
    "a wildcard alone": (host("*"), f'spec.rules[0].host: Invalid value: "*": {WILDCARD}'),
    "two wildcards": (host("*.*.com"), f'spec.rules[0].host: Invalid value: "*.*.com": {WILDCARD}'),
    "a wildcard and a part": (host("*a.com"), f'spec.rules[0].host: Invalid value: "*a.com": {WILDCARD}'),
    "a rule without paths": (
        ingress(rules=[{"http": {"paths": []}}]),
        "spec.rules[0].http.paths: Required value",
    ),
    "a path without a type": (
        ingress(rules=[{"http": {"paths": [{"path": "/", "backend": WEB}]}}]),
        f"{PATH}.pathType: Required value: pathType must be specified",
    ),
    "a type that isn't known": (
        rule(kind="Odd"),
        f'{PATH}.pathType: Unsupported value: "Odd": supported values: "Exact", "ImplementationSpecific", "Prefix"',
    ),
    "an exact path that isn't absolute": (rule("a", "Exact"), f'{PATH}.path: Invalid value: "a": must be an absolute path'),
    "a prefix that isn't absolute": (rule("a"), f'{PATH}.path: Invalid value: "a": must be an absolute path'),
    "no prefix": (rule(""), f'{PATH}.path: Invalid value: "": must be an absolute path'),
    "another path that isn't absolute": (
        rule("a", "ImplementationSpecific"),
        f'{PATH}.path: Invalid value: "a": must be an absolute path',
    ),
    **{
        f"{part} in a path": (rule(f"/a{part}b", "Exact"), f"{PATH}.path: Invalid value: \"/a{part}b\": must not contain '{part}'")
        for part in ("//", "/./", "/../", "%2f", "%2F")
    },
    **{
        f"{part} at the end of a path": (rule(f"/a{part}"), f"{PATH}.path: Invalid value: \"/a{part}\": cannot end with '{part}'")
        for part in ("/.", "/..")
    },
    "a path with a bad backend": (
        ingress(rules=[{"http": {"paths": [{"path": "/", "pathType": "Prefix"}]}}]),
        f'{PATH}.backend: Invalid value: "": resource or service backend is required',
    ),
    "a certificate for a bad host": (tls(hosts=["a_b"]), f'spec.tls[0].hosts[0]: Invalid value: "a_b": {SUBDOMAIN}'),
    "a certificate for no host": (tls(hosts=[""]), f'spec.tls[0].hosts[0]: Invalid value: "": {SUBDOMAIN}'),
    "a certificate for a bad wildcard": (tls(hosts=["*.*.c"]), f'spec.tls[0].hosts[0]: Invalid value: "*.*.c": {WILDCARD}'),
    "a secret with a bad name": (tls(secretName="a b"), f'spec.tls[0].secretName: Invalid value: "a b": {SUBDOMAIN}'),
}


@pytest.mark.parametrize(("obj", "expected"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_an_ingress(obj, expected):
    (found,) = findings(INGRESS, obj)
    assert found.startswith(expected)


RIGHT = {
    "a default backend": ingress(),
    "another object": resource(apiGroup="example.com"),
    "an object of the core group": resource(),
    "a port by name": service(port={"name": "http"}),
    "a rule for all hosts": rule(host=""),
    "a rule for all hosts below one": rule(host="*.example.com"),
    "a rule without paths of its own": ingress(rules=[{"host": "a.example.com"}]),
    "no path, as the controller takes it": rule("", "ImplementationSpecific"),
    "anything, as the controller takes it": rule("/a//b/../c%2F", "ImplementationSpecific"),
    "a path with dots in it": rule("/a/.b/..c", "Exact"),
    "a certificate of the controller's own": tls(hosts=["a.example.com", "*.example.com"]),
    "all there is": FULL["networking/v1 Ingress"],
}


@pytest.mark.parametrize("obj", RIGHT.values(), ids=RIGHT)
def test_what_is_right(obj):
    assert findings(INGRESS, obj) == []


def test_all_that_is_wrong_is_told_at_once():
    bad = {"service": {"name": "1", "port": {"number": 0}}}
    found = findings(INGRESS, ingress(defaultBackend=bad, rules=[{"host": "A", "http": {"paths": []}}], tls=[{"secretName": "A"}]))
    assert [text.partition(":")[0] for text in found] == [
        "spec.defaultBackend.service.name",
        "spec.defaultBackend",
        "spec.tls[0].secretName",
        "spec.rules[0].http.paths",
        "spec.rules[0].host",
    ]


WRONG_STATES = {
    "a bad address": ({"ip": "1.2.3"}, 'ip: Invalid value: "1.2.3": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'),
    "an address with a zone": ({"ip": "fe80::1%a"}, 'ip: Invalid value: "fe80::1%a": must be a valid IP address, (e.g. 10.9.8.7'),
    "a bad name": ({"hostname": "a_b"}, f'hostname: Invalid value: "a_b": {SUBDOMAIN}'),
    "a name that is an address": ({"hostname": "1.2.3.4"}, f'hostname: Invalid value: "1.2.3.4": {NO_DNS}'),
}


@pytest.mark.parametrize(("balancer", "expected"), WRONG_STATES.values(), ids=WRONG_STATES)
def test_what_is_wrong_with_its_state(balancer, expected):
    (found,) = texts(compile_struct(object_struct(INGRESS.schema)).validate({"status": {"loadBalancer": {"ingress": [balancer]}}}))
    assert found.startswith(f"status.loadBalancer.ingress[0].{expected}")


@pytest.mark.parametrize("dialect", [KUBERNETES, SVCAPI], ids=lambda dialect: dialect.name)
def test_the_annotation_for_the_class_says_what_the_field_says(dialect):
    key = dialect.key("ingress.class")
    annotated = {"metadata": {"annotations": {key: "one"}}}
    assert findings(INGRESS, {**annotated, **ingress(ingressClassName="one")}, context(dialect)) == []
    assert findings(INGRESS, {**annotated, **ingress(ingressClassName="two")}, context(dialect)) == [
        f'annotations.{key}: Invalid value: "one": must match `ingressClassName` when both are specified'
    ]
    assert warned(INGRESS, {**annotated, **ingress()}, context(dialect)) == [
        f"annotation \"{key}\" is deprecated, please use 'spec.ingressClassName' instead"
    ]
    assert warned(INGRESS, {**annotated, **ingress(ingressClassName="one")}, context(dialect)) == []


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (ingress(), ("<none>", "*", "", "80")),
        (FULL["networking/v1 Ingress"], ("fast", "a.example.com,*.b.example.com", "", "80, 443")),
        (ingress(rules=[{"host": name} for name in "abc"]), ("<none>", "a,b,c", "", "80")),
        (ingress(rules=[{"host": name} for name in "abcde"]), ("<none>", "a,b,c + 2 more...", "", "80")),
        (ingress(rules=[{"host": "a"}, {}, {"host": "b"}, {"host": "c"}]), ("<none>", "a,b,c", "", "80")),
        (ingress(rules=[{"host": "a"}, {}, {"host": "b"}, {"host": "c"}, {}]), ("<none>", "a,b,c + 2 more...", "", "80")),
        (
            {**ingress(), "status": {"loadBalancer": {"ingress": [{"ip": "2.2.2.2"}, {"hostname": "a.b"}, {"ip": "10.0.0.1"}]}}},
            ("<none>", "*", "10.0.0.1,2.2.2.2,a.b", "80"),
        ),
    ],
)
def test_an_ingress_in_one_line(obj, expected):
    assert tuple(row(INGRESS, obj).values()) == (*expected, "<unknown>")


def test_a_backend_is_served_with_its_port():
    assert created(INGRESS, ingress(defaultBackend={"service": {"name": "web"}}))["spec"]["defaultBackend"]["service"]["port"] == {}
    assert created(INGRESS, ingress())["status"] == {"loadBalancer": {}}


# IngressClass


def ingress_class(**spec):
    return {"spec": {"controller": "example.com/ingress", **spec}}


def parameters(**parts):
    return ingress_class(parameters={"kind": "Settings", "name": "fast", **parts})


DOMAIN_PATH = 'must be a domain-prefixed path (such as "acme.io/foo")'
WRONG_CLASSES = {
    "nothing": ({}, "spec.controller: Required value"),
    "no controller": (ingress_class(controller=""), "spec.controller: Required value"),
    "a controller without a domain": (ingress_class(controller="a"), f'spec.controller: Invalid value: "a": {DOMAIN_PATH}'),
    "a controller with an empty domain": (ingress_class(controller="/a"), f'spec.controller: Invalid value: "/a": {DOMAIN_PATH}'),
    "a controller without a path": (ingress_class(controller="a.b/"), f'spec.controller: Invalid value: "a.b/": {DOMAIN_PATH}'),
    "a controller with a bad domain": (ingress_class(controller="a_b/c"), f'spec.controller: Invalid value: "a_b": {SUBDOMAIN}'),
    "a controller with a bad path": (
        ingress_class(controller="a.b/c?d"),
        'spec.controller: Invalid value: "c?d": Invalid path (regex used for validation is',
    ),
    "a controller that is too long": (
        ingress_class(controller="a.b/" + "c" * 247),
        "spec.controller: Too long: may not be more than 250 bytes",
    ),
    "parameters of a bad group": (parameters(apiGroup="a/b"), f'spec.parameters.apiGroup: Invalid value: "a/b": {SUBDOMAIN}'),
    "parameters without a kind": (parameters(kind=""), "spec.parameters.kind: Required value"),
    "parameters of a bad kind": (parameters(kind="a/b"), "spec.parameters.kind: Invalid value: \"a/b\": may not contain '/'"),
    "parameters without a name": (parameters(name=""), "spec.parameters.name: Required value"),
    "parameters with a bad name": (parameters(name="a%b"), "spec.parameters.name: Invalid value: \"a%b\": may not contain '%'"),
    "a scope that isn't known": (
        parameters(scope="Odd"),
        'spec.parameters.scope: Unsupported value: "Odd": supported values: "Cluster", "Namespace"',
    ),
    "a scope that is empty": (
        parameters(scope=""),
        'spec.parameters.scope: Unsupported value: "": supported values: "Cluster", "Namespace"',
    ),
    "no namespace": (
        parameters(scope="Namespace"),
        "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
    ),
    "a bad namespace": (
        parameters(scope="Namespace", namespace="A"),
        'spec.parameters.namespace: Invalid value: "A": a lowercase RFC 1123 label must consist of',
    ),
    "an empty namespace": (
        parameters(scope="Namespace", namespace=""),
        'spec.parameters.namespace: Invalid value: "": a lowercase RFC 1123 label must consist of',
    ),
    "a namespace of something cluster-wide": (
        parameters(scope="Cluster", namespace="a"),
        "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
    ),
    "a namespace without a scope": (
        parameters(namespace="a"),
        "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
    ),
}


@pytest.mark.parametrize(("obj", "expected"), WRONG_CLASSES.values(), ids=WRONG_CLASSES)
def test_what_is_wrong_with_an_ingress_class(obj, expected):
    (found,) = findings(INGRESS_CLASS, obj)
    assert found.startswith(expected)


@pytest.mark.parametrize(
    "obj",
    [
        ingress_class(),
        parameters(),
        parameters(apiGroup="a.b"),
        ingress_class(controller="a/" + "b" * 248),
        FULL["networking/v1 IngressClass"],
    ],
)
def test_what_is_right_with_an_ingress_class(obj):
    assert findings(INGRESS_CLASS, obj) == []


def test_parameters_are_cluster_wide_unless_they_say():
    assert created(INGRESS_CLASS, parameters())["spec"]["parameters"]["scope"] == "Cluster"


def test_the_controller_of_a_class_stays_and_all_else_may_change():
    assert change_findings(INGRESS_CLASS, ingress_class(), parameters()) == []
    assert change_findings(INGRESS_CLASS, ingress_class(), ingress_class(controller="a.b/c")) == [
        'spec.controller: Invalid value: "a.b/c": field is immutable'
    ]


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (ingress_class(), "<none>"),
        (parameters(), "Settings/fast"),
        (parameters(apiGroup="example.com"), "Settings.example.com/fast"),
    ],
)
def test_an_ingress_class_in_one_line(obj, expected):
    assert tuple(row(INGRESS_CLASS, obj).values()) == ("example.com/ingress", expected, "<unknown>")
