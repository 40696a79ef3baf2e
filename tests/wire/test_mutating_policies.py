"""Policies in CEL that change what is sent: how they say it, in what order, and what follows where they can't."""

from collections.abc import Iterator

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.process import served
from tests.wire.policies import ABOUT_MAPS, DEPLOYMENTS, MAPS, BoundPolicies
from tests.wire.raw import APPLY, MERGE, Answer, Wire

ABOUT_DEPLOYMENTS = [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["deployments"]}]


def applied(expression: str) -> Object:
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}


def patched(expression: str) -> Object:
    return {"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}


LABEL = applied('Object{metadata: Object.metadata{labels: {"by": "policy"}}}')


class Policies(BoundPolicies):
    """Mutating ones."""

    def put(self, *mutations: Object, name: str = "", about: object = ABOUT_MAPS, binding: Object | None = None, **spec: object) -> str:
        """A policy with one binding; about config maps unless it says otherwise."""
        policy = {"matchConstraints": {"resourceRules": about}, "mutations": list(mutations), "reinvocationPolicy": "Never", **spec}
        return self.bind(policy, binding or {}, name)


@pytest.fixture(scope="module", params=list(DIALECTS))
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Policies]:
    with served(tmp_path_factory.mktemp("home"), request.param, "--nodes", "0", "--durability", "process") as server:
        wire = Wire(server)
        yield Policies(wire, "mutating")
        wire.close()
        assert wire.complaints() == []


@pytest.fixture
def policies(cluster: Policies) -> Iterator[Policies]:
    yield cluster
    cluster.forget()


def make(policies: Policies, data: Object | None = None, *, name: str = "", **metadata: object) -> Answer:
    return policies.wire.ask("POST", MAPS, {"metadata": {"name": name or policies.wire.fresh("map"), **metadata}, "data": data or {}})


def deployment(policies: Policies, **spec: object) -> Object:
    containers = [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": containers}}
    return {
        "metadata": {"name": policies.wire.fresh("web")},
        "spec": {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template, **spec},
    }


# --- Configurations that are applied ---


def test_what_is_constructed_is_laid_over_the_object(policies: Policies) -> None:
    policies.put(LABEL)
    made = make(policies, {"k": "v"}, labels={"mine": "yes"}).json
    assert made["metadata"]["labels"] == {"mine": "yes", "by": "policy"}
    assert made["data"] == {"k": "v"}
    updated = policies.wire.ask("PUT", f"{MAPS}/{made['metadata']['name']}", {**made, "metadata": {"name": made["metadata"]["name"]}}).json
    assert updated["metadata"]["labels"] == {"by": "policy"}


def test_items_are_merged_by_their_keys(policies: Policies) -> None:
    text = (
        "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: "
        "object.spec.template.spec.containers.filter(c, c.name != 'b').map(c, "
        "Object.spec.template.spec.containers{name: c.name, imagePullPolicy: 'Always'}) + "
        "[Object.spec.template.spec.containers{name: 'c', image: object.metadata.name}]}}}}"
    )
    policies.put(applied(text), about=ABOUT_DEPLOYMENTS)
    made = policies.wire.create(DEPLOYMENTS, sent := deployment(policies))
    containers = {one["name"]: (one["image"], one["imagePullPolicy"]) for one in made["spec"]["template"]["spec"]["containers"]}
    assert containers == {"a": ("a:1", "Always"), "b": ("b:1", "IfNotPresent"), "c": (sent["metadata"]["name"], "Always")}
    assert made["spec"]["template"]["spec"]["containers"][-1]["terminationMessagePath"] == "/dev/termination-log"


def test_zeros_count_and_optional_fields_may_be_left_out(policies: Policies) -> None:
    policies.put(
        applied("Object{spec: Object.spec{replicas: 0, ?minReadySeconds: object.spec.?minReadySeconds.optMap(s, s + 1)}}"),
        about=ABOUT_DEPLOYMENTS,
    )
    assert policies.wire.create(DEPLOYMENTS, deployment(policies, replicas=3))["spec"]["replicas"] == 0
    made = policies.wire.create(DEPLOYMENTS, deployment(policies, replicas=3, minReadySeconds=4))
    assert (made["spec"]["replicas"], made["spec"]["minReadySeconds"]) == (0, 5)


def test_what_is_constructed_is_never_null(policies: Policies) -> None:
    policies.put(applied("Object{} == null || null == Object{data: {'a': 'b'}} ? Object{immutable: true} : Object{data: {'k': 'v'}}"))
    assert make(policies).json["data"] == {"k": "v"}
    policies.forget()
    policies.put(applied("has(object.data) ? Object{data: {'k': 'v'}} : null"))
    assert make(policies, {"a": "b"}).json["data"] == {"a": "b", "k": "v"}
    assert make(policies).status == 403


# --- Patches ---


def test_operations_are_done_in_their_order(policies: Policies) -> None:
    policies.put(
        patched(
            '[JSONPatch{op: "test", path: "/data/k", value: "v"}, '
            'JSONPatch{op: "add", path: "/metadata/annotations", value: {}}, '
            'JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey("example.com/a"), value: "x"}, '
            'JSONPatch{op: "move", from: "/data/k", path: "/data/l"}, '
            'JSONPatch{op: "add", path: "/immutable", value: false}]'
        )
    )
    made = (answer := make(policies, {"k": "v"})).json
    assert answer.status == 201, answer.message
    assert (made["metadata"]["annotations"], made["data"], made["immutable"]) == ({"example.com/a": "x"}, {"l": "v"}, False)


def test_where_a_test_fails_nothing_is_changed(policies: Policies) -> None:
    policies.put(
        patched('[JSONPatch{op: "test", path: "/data/k", value: "v"}, JSONPatch{op: "add", path: "/data/l", value: "1"}]'),
        patched('[JSONPatch{op: "add", path: "/data/m", value: "2"}]'),
    )
    assert make(policies, {"k": "other"}).json["data"] == {"k": "other", "m": "2"}
    assert make(policies, {"other": "k"}).json["data"] == {"other": "k", "m": "2"}


def test_a_test_without_a_value_is_met_by_what_is_not_there(policies: Policies) -> None:
    policies.put(patched('[JSONPatch{op: "test", path: "/data/k"}, JSONPatch{op: "add", path: "/data/l", value: "1"}]'))
    assert make(policies, {"other": "v"}).json["data"] == {"other": "v", "l": "1"}
    assert make(policies, {"k": "v"}).json["data"] == {"k": "v"}


def test_objects_are_values_of_operations(policies: Policies) -> None:
    text = (
        '[JSONPatch{op: "add", path: "/spec/template/spec/containers/-", '
        'value: Object.spec.template.spec.containers{name: "c", image: "c:1", ports: [Object.spec.template.spec.containers.ports'
        "{containerPort: 80}]}}]"
    )
    policies.put(patched(text), about=ABOUT_DEPLOYMENTS)
    made = policies.wire.create(DEPLOYMENTS, deployment(policies))
    assert made["spec"]["template"]["spec"]["containers"][2]["ports"] == [{"containerPort": 80, "protocol": "TCP"}]


# --- Values ---

UNSET = "object.data.?none"


@pytest.mark.parametrize(
    ("mutation", "data"),
    [
        (patched("[JSONPatch{op: 'add', path: '/data/d', value: optional.of('x')}]"), {"a": "1", "d": "x"}),
        (patched("[JSONPatch{op: 'add', path: '/data/d', value: object.data.?a}]"), {"a": "1", "d": "1"}),
        (patched("[JSONPatch{op: 'add', path: '/data', value: {'k': object.?data.?a}}]"), {"k": "1"}),
        (patched("[JSONPatch{op: 'add', path: '/data', value: {'k': 'v', ?'l': object.data.?none}}]"), {"k": "v"}),
        (
            patched("[JSONPatch{op: 'add', path: '/data/d', value: has(object.data) ? optional.of('x') : optional.none()}]"),
            {"a": "1", "d": "x"},
        ),
        (applied("Object{data: {'d': optional.of('x')}}"), {"a": "1", "d": "x"}),
        (applied("Object{data: optional.of({'d': 'x'})}"), {"a": "1", "d": "x"}),
        (patched("[JSONPatch{op: 'add', path: '/data/d', value: dyn(optional.of('x'))}]"), {"a": "1", "d": "x"}),
        (patched("[JSONPatch{op: 'add', path: '/data/d', value: variables.given}]"), {"a": "1", "d": "x"}),
        (applied("Object{data: {'d': variables.given}}"), {"a": "1", "d": "x"}),
        (applied("Object{immutable: optional.of(true)}"), {"a": "1"}),
        (applied(f"Object{{data: {UNSET}}}"), {"a": "1"}),
    ],
)
def test_optional_values_are_what_they_hold(policies: Policies, mutation: Object, data: Object) -> None:
    policies.put(mutation, variables=[{"name": "given", "expression": "optional.of('x')"}])
    answer = make(policies, {"a": "1"})
    assert (answer.status, answer.json.get("data") or {}) == (201, data), answer.body


@pytest.mark.parametrize(
    "mutation",
    [
        patched("[JSONPatch{op: 'add', path: '/data/d', value: optional.none()}]"),
        patched(f"[JSONPatch{{op: 'add', path: '/data/d', value: {UNSET}}}]"),
        patched("[JSONPatch{op: 'add', path: '/data', value: {'k': [{'l': ['x'].map(x, optional.of(x))[0]}]}}]"),
        patched("[JSONPatch{op: 'add', path: '/data/d', value: variables.held}]"),
        applied("Object{data: {'d': ['x'].map(x, optional.of(x))[0]}}"),
        applied("Object{data: variables.held}"),
    ],
)
def test_optional_values_that_are_none_that_can_be_written_fail_the_mutation(policies: Policies, mutation: Object) -> None:
    """And nothing else: whoever may write a policy ends no server."""
    policies.put(mutation, variables=[{"name": "held", "expression": "{'d': dyn(optional.of({'e': optional.of('x')}))}"}])
    answer = make(policies, {"a": "1"})
    assert answer.status == 403
    assert "resulted in error: " in answer.message
    assert "built-in method" not in answer.message
    policies.forget()
    policies.put(mutation, failurePolicy="Ignore", variables=[{"name": "held", "expression": "{'d': optional.of('x')}"}])
    assert make(policies, {"a": "1"}).json["data"] == {"a": "1"}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("authorizer", "kubernetes.authorization.Authorizer"),
        ("{'v': [authorizer.path('/healthz').check('get')]}", "kubernetes.authorization.Decision"),
        ("url('http://a/b')", "kubernetes.URL"),
        ("dyn(authorizer)", "kubernetes.authorization.Authorizer"),
        ("{'x': dyn(1), 'y': has(object.data) ? dyn(1) : dyn([url('http://a/b')])}", "kubernetes.URL"),
        ("quantity('1Mi')", "kubernetes.Quantity"),
        ("format.dns1123Label()", "kubernetes.NamedFormat"),
        ("0.0 / 0.0", "double nan"),
        ("-1.0 / 0.0", "double -inf"),
        ("type(1)", "type"),
    ],
)
def test_values_that_json_has_no_form_for_are_written_nowhere(policies: Policies, value: str, kind: str) -> None:
    policies.put(patched(f"[JSONPatch{{op: 'add', path: '/metadata/annotations', value: {value}}}]"))
    answer = make(policies)
    assert (answer.status, answer.message.endswith(f"could not marshal to JSON: {kind}")) == (403, True), answer.message


def test_numbers_that_readers_of_json_would_round_are_texts_in_patches(policies: Policies) -> None:
    values = {
        "a": ("18446744073709551615u", "18446744073709551615"),
        "b": ("9007199254740993", "9007199254740993"),
        "c": ("duration('1h1m0.000001s')", "3660.000001s"),
        "d": ("duration('-90s')", "-90s"),
    }
    operations = [f"JSONPatch{{op: 'add', path: '/data/{key}', value: {value}}}" for key, (value, _) in values.items()]
    policies.put(patched(f"[{', '.join(operations)}]"))
    answer = make(policies, {"k": "v"})
    assert answer.json.get("data") == {"k": "v", **{key: text for key, (_, text) in values.items()}}, answer.body


# --- In their order ---


def test_each_sees_what_those_before_it_left(policies: Policies) -> None:
    add = 'Object{data: {"seen": has(object.data) ? string(object.data.size()) : "0"}}'
    policies.put(
        applied('Object{data: {"a": "1"}}'), applied('Object{data: {"b": string(object.data.size())}}'), name=policies.wire.fresh("p1")
    )
    policies.put(applied(add), name=policies.wire.fresh("p2"))
    assert make(policies).json["data"] == {"a": "1", "b": "1", "seen": "2"}


def test_those_that_wish_it_are_asked_once_more(policies: Policies) -> None:
    seen = 'Object{data: {"count": string(has(object.data) ? object.data.size() : 0)}}'
    for reinvocation, count in (("IfNeeded", "2"), ("Never", "0")):
        policies.put(applied(seen), name=policies.wire.fresh("p1"), reinvocationPolicy=reinvocation)
        policies.put(applied('Object{data: {"late": "1"}}'), name=policies.wire.fresh("p2"))
        assert make(policies).json["data"] == {"count": count, "late": "1"}
        policies.forget()


def counting(key: str) -> Object:
    """Each time it is asked it adds a mark."""
    return applied(f"Object{{data: {{'{key}': object.?data[?'{key}'].orValue('') + '+'}}}}")


ROUNDS: tuple[tuple[tuple[tuple[str, str], ...], Object], ...] = (
    ((("a", "IfNeeded"),), {"a": "++"}),
    ((("a", "Never"),), {"a": "+"}),
    ((("a", "IfNeeded"), ("b", "Never")), {"a": "++", "b": "+"}),
    ((("a", "Never"), ("b", "IfNeeded")), {"a": "+", "b": "++"}),
    ((("a", "IfNeeded"), ("b", "IfNeeded")), {"a": "++", "b": "++"}),
)


@pytest.mark.parametrize(("asked", "data"), ROUNDS)
def test_after_a_change_whoever_wishes_it_is_asked_once_more_be_it_his_own(
    policies: Policies, asked: tuple[tuple[str, str], ...], data: Object
) -> None:
    """As in Kubernetes, whoever changed the object, before or after; and never a third time."""
    for key, reinvocation in asked:
        policies.put(counting(key), name=policies.wire.fresh(key), reinvocationPolicy=reinvocation)
    assert make(policies).json["data"] == data


def test_where_a_policy_changes_nothing_nobody_is_asked_again(policies: Policies) -> None:
    policies.put(applied("Object{data: {'seen': object.?data[?'seen'].orValue('once')}}"), reinvocationPolicy="IfNeeded")
    assert make(policies, {"seen": "once"}).json["data"] == {"seen": "once"}


def test_parameters_variables_and_conditions(policies: Policies) -> None:
    wire = policies.wire
    wire.create(MAPS, {"metadata": {"name": (given := wire.fresh("given")), "labels": {"given": "yes"}}, "data": {"k": "from params"}})
    policies.put(
        applied("Object{data: {'k': variables.found, 'of': namespaceObject.metadata.name}}"),
        paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
        variables=[{"name": "found", "expression": "params.data.k"}],
        matchConditions=[
            {"name": "marked", "expression": "'marked' in object.data"},
            {"name": "params", "expression": "params.data.k != '' && namespaceObject == null"},
        ],
        binding={"paramRef": {"name": given, "parameterNotFoundAction": "Deny"}},
    )
    assert make(policies, {"marked": "1"}).json["data"] == {"marked": "1", "k": "from params", "of": "default"}
    assert make(policies, {"no": "1"}).json["data"] == {"no": "1"}
    assert wire.ask("DELETE", f"{MAPS}/{given}").status == 200
    answer = make(policies, {"marked": "1"})
    assert (answer.status, answer.reason) == (403, "Forbidden")
    assert "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction" in answer.message


def test_they_are_asked_before_webhooks_and_validating_policies(policies: Policies) -> None:
    wire = policies.wire
    policies.put(LABEL)
    validating = BoundPolicies(wire, "validating")
    validation = {"expression": "has(object.metadata.labels) && object.metadata.labels.by == 'policy'"}
    validating.bind({"matchConstraints": {"resourceRules": ABOUT_MAPS}, "validations": [validation]}, {"validationActions": ["Deny"]})
    try:
        assert make(policies).status == 201
    finally:
        validating.forget()


# --- What they are about ---


def test_all_ways_of_writing_are_meant(policies: Policies) -> None:
    policies.put(LABEL)
    wire, name = policies.wire, policies.wire.fresh("map")
    apply = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "1"}}
    answer = wire.ask("PATCH", f"{MAPS}/{name}?fieldManager=me", apply, content_type=APPLY)
    assert answer.json["metadata"]["labels"] == {"by": "policy"}
    again = wire.ask("PATCH", f"{MAPS}/{name}?fieldManager=me", apply, content_type=APPLY)
    assert again.json["metadata"]["resourceVersion"] == answer.json["metadata"]["resourceVersion"]
    answer = wire.ask("PATCH", f"{MAPS}/{name}", {"metadata": {"labels": None}}, content_type=MERGE)
    assert answer.json["metadata"]["labels"] == {"by": "policy"}
    tried = wire.ask("POST", f"{MAPS}?dryRun=All", {"metadata": {"name": wire.fresh("tried")}})
    assert tried.json["metadata"]["labels"] == {"by": "policy"}


def test_subresources_are_changed_as_what_they_are(policies: Policies) -> None:
    wire = policies.wire
    rule = [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["deployments/scale"]}]
    policies.put(applied("Object{spec: Object.spec{replicas: object.spec.replicas > 0 ? 0 : object.spec.replicas}}"), about=rule)
    made = wire.create(DEPLOYMENTS, deployment(policies))
    scaled = wire.ask("PATCH", f"{DEPLOYMENTS}/{made['metadata']['name']}/scale", {"spec": {"replicas": 7}}, content_type=MERGE)
    assert scaled.json["spec"].get("replicas", 0) == 0


def test_policies_are_never_about_policies_nor_about_who_may_do_what(policies: Policies) -> None:
    wire = policies.wire
    everything = [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CREATE"], "resources": ["*"]}]
    policies.put(applied("Object{metadata: Object.metadata{labels: {'by': string(1 / 0)}}}"), about=everything)
    assert make(policies).status == 403
    group = wire.dialect.group("authorization")
    body = {"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}}
    assert wire.ask("POST", f"/apis/{group}/v1/selfsubjectaccessreviews", body).status == 201
    assert wire.ask("POST", f"/apis/{wire.dialect.group('authentication')}/v1/selfsubjectreviews", {}).status == 201
    policies.put(LABEL)


# --- Failures ---

FAILURES = (
    (applied("Object{data: {'k': object.data.none}}"), "resulted in error: no such key: none"),
    (
        applied("Object{metadata: Object.spec{labels: {'a': 'b'}}}"),
        'unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type',
    ),
    (
        applied("Object{nope: 1}"),
        "error applying patch: failed to convert patch object to typed object: .nope: field not declared in schema",
    ),
    (
        applied("Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{name: 'x'}]}}"),
        'associative list with keys has an element that omits key field "uid"',
    ),
    (
        patched('[JSONPatch{op: "remove", path: "/data/none"}]'),
        "JSONPath: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value",
    ),
    (
        patched('[JSONPatch{op: "copy", from: "/none/a", path: "/data/b"}]'),
        "JSONPath: copy operation does not apply: doc is missing from path: /none/a: missing value",
    ),
    (
        patched('[JSONPatch{op: "test", path: "/none/a", value: "b"}]'),
        "JSONPath: test operation does not apply: is missing path: /none/a: missing value",
    ),
    (applied("Object{apiVersion: 'v2'}"), "error applying patch: patch and original object are not of the same apiVersion"),
)


@pytest.mark.parametrize(("mutation", "words"), FAILURES)
def test_failures_refuse_the_request_or_are_ignored(policies: Policies, mutation: Object, words: str) -> None:
    policy = policies.put(mutation, LABEL)
    answer = make(policies, {"k": "v"})
    assert (answer.status, answer.reason) == (403, "Invalid")
    assert answer.message.startswith(f"policy '{policy}' with binding '{policy}-b' denied request: ")
    assert words in answer.message
    assert answer.json["details"]["causes"] == [{"message": answer.message}]
    policies.forget()
    policies.put(mutation, LABEL, failurePolicy="Ignore")
    made = make(policies, {"k": "v"})
    assert (made.status, made.json["data"], made.json["metadata"]["labels"]) == (201, {"k": "v"}, {"by": "policy"})


def test_parameters_of_a_kind_that_nobody_serves_refuse_all_that_a_bound_policy_is_about(policies: Policies) -> None:
    """Wherever the binding counts; and before what fails of policies that are asked."""
    policies.put(FAILURES[0][0], name="asked-and-failing")
    elsewhere = {"matchResources": {"namespaceSelector": {"matchLabels": {"no": "namespace"}}}}
    kind = {"apiVersion": "nowhere.example.com/v1", "kind": "Nothing"}
    policies.put(LABEL, name="not-to-be-asked", paramKind=kind, binding=elsewhere)
    answer = make(policies)
    assert (answer.status, answer.reason) == (403, "Forbidden")
    why = "failed to configure policy: failed to find resource referenced by paramKind: 'nowhere.example.com/v1, Kind=Nothing'"
    assert answer.message == f'policy "not-to-be-asked" denied request: {why}'
    first, second = answer.json["details"]["causes"]
    assert first["message"] == answer.message
    assert second["message"].startswith("policy 'asked-and-failing' with binding ")
    policies.forget()
    policies.put(LABEL, paramKind=kind, binding=elsewhere, failurePolicy="Ignore")
    assert make(policies).status == 201


def added(path: str, value: str) -> Object:
    return patched(f'[JSONPatch{{op: "add", path: "{path}", value: {value}}}]')


MISREAD = (
    (added("/datax", "'v'"), 'strict decoding error: unknown field "datax"'),
    (added("/metadata/labelz", "{'a': 'b'}"), 'strict decoding error: unknown field "metadata.labelz"'),
    (added("/data/n", "5"), "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"),
    (added("/data", "3"), "json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string"),
    (added("/metadata", "'x'"), "json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta"),
    (
        added("/kind", "5"),
        "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ),
    (added("/kind", "'Nothing'"), 'no kind "Nothing" is registered for version "v1"'),
    (added("/apiVersion", "'v9'"), 'no kind "ConfigMap" is registered for version "v9"'),
    (added("/kind", "'Endpoints'"), 'strict decoding error: unknown field "data"'),
    (added("/kind", "'PodTemplate'"), 'strict decoding error: unknown field "data"'),
)


@pytest.mark.parametrize("failure_policy", ["Fail", "Ignore"])
@pytest.mark.parametrize(("mutation", "words"), MISREAD)
def test_what_a_patch_leaves_is_read_strictly(policies: Policies, mutation: Object, words: str, failure_policy: str) -> None:
    """What can't be such an object is the policy's fault, which no failure policy passes over."""
    policies.put(mutation, failurePolicy=failure_policy)
    answer = make(policies, {"k": "v"})
    assert (answer.status, answer.reason) == (500, "InternalError")
    assert answer.message == f"Internal error occurred: {words}"


def test_a_patch_makes_no_other_kind_of_an_object(policies: Policies) -> None:
    to = '[JSONPatch{op: "remove", path: "/data"}, JSONPatch{op: "add", path: "/kind", value: "Secret"}]'
    policies.put(patched(to))
    answer = make(policies, {"k": "v"})
    told = "failed to convert object: converting (v1.Secret) to (core.ConfigMap): unknown conversion"
    assert (answer.status, answer.message) == (500, f"Internal error occurred: {told}")
    policies.forget()
    other_group = to.replace("Secret", "Deployment").replace("}]", '}, JSONPatch{op: "add", path: "/apiVersion", value: "apps/v1"}]')
    policies.put(patched(other_group))
    answer = make(policies, {"k": "v"})
    assert (answer.status, answer.reason) == (403, "Invalid")
    assert answer.message.endswith('denied request: v1.Deployment is not suitable for converting to "v1"')
    policies.forget()
    policies.put(patched(other_group), failurePolicy="Ignore")
    assert make(policies, {"k": "v"}).json["data"] == {"k": "v"}


def test_a_patch_needn_t_say_what_an_object_is(policies: Policies) -> None:
    policies.put(patched('[JSONPatch{op: "remove", path: "/kind"}, JSONPatch{op: "remove", path: "/apiVersion"}]'))
    made = make(policies, {"k": "v"}).json
    assert (made["kind"], made["apiVersion"], made["data"]) == ("ConfigMap", "v1", {"k": "v"})


def test_fields_of_a_pod_are_read_strictly_too(policies: Policies) -> None:
    about = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]
    policies.put(added("/spec/nodeselector", "{'a': 'b'}"), about=about)
    pod = {"metadata": {"name": policies.wire.fresh("pod")}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    answer = policies.wire.ask("POST", "/api/v1/namespaces/default/pods", pod)
    told = 'Internal error occurred: strict decoding error: unknown field "spec.nodeselector"'
    assert (answer.status, answer.message) == (500, told)


def test_of_custom_resources_the_kind_alone_is_read_strictly(policies: Policies) -> None:
    """What their definition doesn't know is left out, as from whomever it comes."""
    wire, group = policies.wire, "patched.example.com"
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]
    names = {"plural": "widgets", "kind": "Widget", "singular": "widget"}
    spec = {"group": group, "names": names, "scope": "Namespaced", "versions": versions}
    definitions = f"/apis/{wire.dialect.group('apiextensions')}/v1/customresourcedefinitions"
    wire.create(definitions, {"metadata": {"name": f"widgets.{group}"}, "spec": spec})

    def widget() -> Answer:
        body = {"apiVersion": f"{group}/v1", "kind": "Widget", "metadata": {"name": wire.fresh("widget")}, "spec": {"size": 1}}
        return wire.ask("POST", f"/apis/{group}/v1/namespaces/default/widgets", body)

    while widget().status == 404:
        pass
    about = [{"apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["widgets"]}]
    policies.put(added("/spec/nope", "1"), about=about)
    assert widget().json["spec"] == {"size": 1}
    policies.forget()
    policies.put(added("/kind", "'Gadget'"), about=about)
    answer = widget()
    assert (answer.status, answer.reason) == (422, "Invalid")
    assert answer.message.endswith('kind: Invalid value: "Gadget": must be Widget')
    policies.forget()
    policies.put(patched('[JSONPatch{op: "remove", path: "/kind"}]'), about=about)
    assert widget().message.startswith("Internal error occurred: Object 'Kind' is missing in '{")
    policies.forget()
    policies.put(added("/apiVersion", "'other/v1'"), about=about)
    told = "failed to convert object: request to convert CR from an invalid group/version: other/v1"
    assert widget().message == f"Internal error occurred: {told}"


def test_what_merges_as_a_whole_is_not_changed_in_part(policies: Policies) -> None:
    text = "Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}}}"
    policies.put(applied(text), about=ABOUT_DEPLOYMENTS)
    answer = policies.wire.ask("POST", DEPLOYMENTS, deployment(policies))
    assert answer.message.endswith("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector")


def test_what_cannot_be_is_refused_by_validation_whoever_made_it(policies: Policies) -> None:
    policies.put(applied("Object{spec: Object.spec{replicas: -1}}"), about=ABOUT_DEPLOYMENTS)
    answer = policies.wire.ask("POST", DEPLOYMENTS, deployment(policies))
    assert (answer.status, answer.reason) == (422, "Invalid")
    assert "spec.replicas" in answer.message


def test_identity_is_not_a_policy_s(policies: Policies) -> None:
    policies.put(applied("Object{metadata: Object.metadata{name: 'other', uid: 'mine', namespace: 'kube-system'}}"))
    assert make(policies).status == 400
    policies.forget()
    policies.put(applied("Object{metadata: Object.metadata{uid: 'mine', creationTimestamp: '2020-01-01T00:00:00Z'}}"))
    made = make(policies).json
    assert made["metadata"]["uid"] != "mine"
