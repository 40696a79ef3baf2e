"""Policies in CEL: what they are asked about, what they know, and what follows where they aren't met."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object
from tests.audit_log import logged
from tests.process import served
from tests.wire.granting import allowed
from tests.wire.policies import ABOUT_MAPS, DEPLOYMENTS, MAPS, BoundPolicies
from tests.wire.raw import MERGE, Answer, Wire


class Policies(BoundPolicies):
    """Validating ones, in a cluster that audits."""

    def __init__(self, wire: Wire, log: Path) -> None:
        super().__init__(wire, "validating")
        self.log = log

    def put(self, *validations: Object | str, actions: tuple[str, ...] = ("Deny",), binding: Object | None = None, **spec: object) -> str:
        """A policy with one binding; about config maps unless it says otherwise. A bare text is an expression."""
        found = [{"expression": one} if isinstance(one, str) else one for one in validations]
        constraints = spec.pop("constraints", {"resourceRules": ABOUT_MAPS})
        return self.bind(
            {"matchConstraints": constraints, "validations": found, **spec}, {"validationActions": list(actions), **(binding or {})}
        )


@pytest.fixture(scope="module", params=list(DIALECTS))
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Policies]:
    directory = tmp_path_factory.mktemp("cluster")
    (directory / "policy.yaml").write_text(
        json.dumps({"apiVersion": f"audit.{DIALECTS[request.param].group_suffix}/v1", "kind": "Policy", "rules": [{"level": "Metadata"}]})
    )
    options = ("--nodes", "0", "--durability", "process", "--audit-policy-file", str(directory / "policy.yaml"))
    with served(directory / "home", request.param, *options, "--audit-log-path", str(directory / "audit.log")) as server:
        wire = Wire(server)
        yield Policies(wire, directory / "audit.log")
        wire.close()
        assert wire.complaints() == []


@pytest.fixture
def policies(cluster: Policies) -> Iterator[Policies]:
    yield cluster
    cluster.forget()


def make(policies: Policies, data: Object | None = None, *, name: str = "", token: str | None = None, **metadata: object) -> Answer:
    body = {"metadata": {"name": name or policies.wire.fresh("map"), **metadata}, "data": data or {}}
    return policies.wire.ask("POST", MAPS, body, token=token)


def test_what_is_not_met_is_refused_in_the_usual_words(policies: Policies) -> None:
    policy = policies.put("object.data.size() <= 2")
    assert make(policies, {"a": "1", "b": "2"}).status == 201
    answer = make(policies, {"a": "1", "b": "2", "c": "3"}, name="large")
    told = f"ValidatingAdmissionPolicy '{policy}' with binding '{policy}-b' denied request: failed expression: object.data.size() <= 2"
    assert answer.json == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f'configmaps "large" is forbidden: {told}',
        "reason": "Invalid",
        "details": {"name": "large", "kind": "configmaps", "causes": [{"message": told}]},
        "code": 422,
    }


def test_it_says_why_in_its_own_words(policies: Policies) -> None:
    policies.put(
        {"expression": "'a' in object.data", "message": "there must be an a", "reason": "Forbidden"},
        {"expression": "!('b' in object.data)", "messageExpression": "'no b in ' + object.metadata.name", "message": "unused"},
        {"expression": "!('c' in object.data)", "messageExpression": "string(object.data.none)", "message": "no c"},
    )
    answer = make(policies, {"x": "1"})
    assert (answer.status, answer.reason, answer.message.rpartition(": ")[2]) == (403, "Forbidden", "there must be an a")
    answer = make(policies, {"a": "1", "b": "1"}, name="both")
    assert (answer.status, answer.message.rpartition(": ")[2]) == (422, "no b in both")
    assert make(policies, {"a": "1", "c": "1"}).message.rpartition(": ")[2] == "no c"


def test_warnings_and_notes_instead_of_refusals(policies: Policies) -> None:
    policy = policies.put({"expression": "false", "message": "never"}, actions=("Warn", "Audit"))
    answer = make(policies, name=(name := policies.wire.fresh("noted")))
    told = f"Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{policy}-b': never"
    assert (answer.status, answer.headers["warning"]) == (201, f'299 - "{told}"')
    (event,) = (
        event for event in logged(policies.log) if event["stage"] == "ResponseComplete" and event.get("objectRef", {}).get("name") == name
    )
    key = f"validation.policy.admission.{policies.wire.dialect.group_suffix}/validation_failure"
    assert json.loads(event["annotations"][key]) == [
        {
            "message": "never",
            "policy": policy,
            "binding": f"{policy}-b",
            "expressionIndex": 0,
            "validationActions": ["Warn", "Audit"],
        }
    ]


def test_audit_annotations(policies: Policies) -> None:
    annotations = [
        {"key": "size", "valueExpression": "'has ' + string(object.data.size())"},
        {"key": "none", "valueExpression": "object.data.size() > 5 ? 'many' : ''"},
    ]
    policy = policies.put("true", auditAnnotations=annotations)
    make(policies, {"a": "1"}, name=(name := policies.wire.fresh("noted")))
    (event,) = (
        event for event in logged(policies.log) if event["stage"] == "ResponseComplete" and event.get("objectRef", {}).get("name") == name
    )
    assert event["annotations"][f"{policy}/size"] == "has 1"
    assert f"{policy}/none" not in event["annotations"]


@pytest.mark.parametrize("actions", [("Deny",), ("Warn",), ("Audit",)])
def test_audit_annotations_that_fail_refuse_whatever_should_follow(policies: Policies, actions: tuple[str, ...]) -> None:
    annotations = [{"key": "none", "valueExpression": "string(object.data.none)"}]
    policy = policies.put("true", auditAnnotations=annotations, actions=actions)
    answer = make(policies, {"a": "1"})
    assert (answer.status, answer.reason) == (422, "Invalid")
    told = f"ValidatingAdmissionPolicy '{policy}' with binding '{policy}-b' denied request: "
    assert answer.message.endswith(f"{told}expression 'string(object.data.none)' resulted in error: no such key: none")
    policies.forget()
    policies.put("true", auditAnnotations=annotations, actions=actions, failurePolicy="Ignore")
    assert make(policies, {"a": "1"}).status == 201


KNOWN = (
    "object.metadata.namespace == 'default'",
    "oldObject == null",
    "request.operation == 'CREATE' && request.namespace == 'default' && request.resource.resource == 'configmaps'",
    "request.kind.kind == 'ConfigMap' && request.dryRun == false",
    "request.userInfo.groups.exists(group, group == 'system:masters')",
    "namespaceObject.metadata.name == 'default'",
    "authorizer.group('').resource('configmaps').namespace('default').check('delete').allowed()",
    "authorizer.path('/healthz').check('get').allowed()",
    "!authorizer.serviceAccount('default', 'default').group('').resource('secrets').check('get').allowed()",
    "object.metadata.labels['a-b'] == 'c' && has(object.metadata.labels)",
    "object.?data.?missing.orValue('none') == 'none'",
    "oldObject.?metadata.?labels.orValue({}).size() == 0 && !has(oldObject.data) && !object.metadata.name.?x.hasValue()",
)


@pytest.mark.parametrize("expression", KNOWN)
def test_what_expressions_know(policies: Policies, expression: str) -> None:
    policies.put(expression)
    answer = make(policies, labels={"a-b": "c"})
    assert answer.status == 201, answer.message


def test_changes_are_seen_from_both_sides(policies: Policies) -> None:
    policies.put("oldObject == null || object.data.a == oldObject.data.a")
    name = make(policies, {"a": "1"}).json["metadata"]["name"]
    assert policies.wire.ask("PATCH", f"{MAPS}/{name}", {"data": {"b": "2"}}, content_type=MERGE).status == 200
    assert policies.wire.ask("PATCH", f"{MAPS}/{name}", {"data": {"a": "2"}}, content_type=MERGE).status == 422
    about_going = [{**ABOUT_MAPS[0], "operations": ["DELETE"]}]
    policies.put("object == null && oldObject.data.b != '2'", constraints={"resourceRules": about_going})
    assert policies.wire.ask("DELETE", f"{MAPS}/{name}").status == 422


def test_variables_are_evaluated_when_they_are_wanted(policies: Policies) -> None:
    variables = [
        {"name": "count", "expression": "object.data.size()"},
        {"name": "twice", "expression": "variables.count * 2"},
        {"name": "broken", "expression": "object.data.none.none"},
    ]
    policies.put("variables.twice <= 4", "variables.count < 5 || variables.broken == 'x'", variables=variables)
    assert make(policies, {"a": "1"}).status == 201
    assert make(policies, {"a": "1", "b": "1", "c": "1"}).status == 422
    policies.forget()
    policies.put("variables.broken == 'x'", variables=variables)
    told = make(policies, {"a": "1"}).message
    assert "expression 'variables.broken == 'x'' resulted in error: composited variable \"broken\" fails to evaluate: " in told
    assert told.endswith("no such key: none")


def test_conditions_choose_requests(policies: Policies) -> None:
    conditions = [{"name": "named", "expression": "object.metadata.name.startsWith('guarded')"}]
    policies.put("false", matchConditions=conditions)
    assert make(policies).status == 201
    assert make(policies, name=policies.wire.fresh("guarded")).status == 422


def test_conditions_know_nothing_of_the_namespace(policies: Policies) -> None:
    conditions = [{"name": "none", "expression": "namespaceObject == null"}]
    policies.put("namespaceObject.metadata.name == 'other'", matchConditions=conditions)
    assert make(policies).status == 422
    policies.forget()
    policies.put("false", matchConditions=[{"name": "there", "expression": "namespaceObject != null"}])
    assert make(policies).status == 201


def test_what_large_objects_are_compared_with_counts_by_how_long_it_takes(policies: Policies) -> None:
    """In units that costs little."""
    policies.put("object.data.all(key, object == object)")
    data = {f"k{number}": "a" * 8 for number in range(20_000)}
    answer = make(policies, data)
    assert (answer.status, "operation cancelled: actual cost limit exceeded" in answer.message) == (422, True), answer.message
    policies.forget()
    policies.put("object.data.all(key, object.data[key].size() < 100)")
    assert make(policies, data).status == 201


def test_no_expression_asks_the_authorizer_more_than_twice(policies: Policies) -> None:
    ask = "authorizer.path('/healthz').check('{}').reason() != 'x'"
    policies.put(" && ".join(ask.format(verb) for verb in ("get", "post")))
    assert make(policies).status == 201
    policies.forget()
    policies.put(" && ".join(ask.format(verb) for verb in ("get", "post", "put")))
    assert "operation cancelled: actual cost limit exceeded" in make(policies).message
    policies.forget()
    policies.put("object.data.all(key, authorizer.path('/' + key).check('get').allowed())")
    assert "operation cancelled: actual cost limit exceeded" in make(policies, {"a": "1", "b": "2", "c": "3"}).message


def test_conditions_have_a_budget_of_their_own(policies: Policies) -> None:
    """A quarter of what the rest of a policy may cost."""
    data = {f"k{number}": "v" for number in range(300)}
    costly = [f"object.data.all(a, object.data.all(b, a + b != '{number}'))" for number in range(10)]
    conditions = [{"name": f"c{number}", "expression": expression} for number, expression in enumerate(costly)]
    policies.put(*costly, matchConditions=conditions[:2])
    assert make(policies, data).status == 201
    policies.forget()
    policies.put("true", matchConditions=conditions)
    assert "running out of cost budget" in make(policies, data).message


def test_where_it_fails_its_failure_policy_counts(policies: Policies) -> None:
    policies.put("object.data.none == 'x'", failurePolicy="Ignore")
    assert make(policies, {"a": "1"}).status == 201
    policies.put("object.data.none == 'x'")
    told = "denied request: expression 'object.data.none == 'x'' resulted in error: no such key: none"
    assert make(policies, {"a": "1"}).message.endswith(told)


def test_constraints_and_bindings_choose_requests(policies: Policies) -> None:
    wire, space = policies.wire, policies.wire.fresh("space")
    wire.create("/api/v1/namespaces", {"metadata": {"name": space, "labels": {"strict": "yes"}}})
    policies.put("false", binding={"matchResources": {"namespaceSelector": {"matchLabels": {"strict": "yes"}}}})
    assert make(policies).status == 201
    assert wire.ask("POST", f"/api/v1/namespaces/{space}/configmaps", {"metadata": {"name": "m"}}).status == 422
    policies.forget()
    excluded = [{**ABOUT_MAPS[0], "resourceNames": ["let-through"]}]
    policies.put("false", constraints={"resourceRules": ABOUT_MAPS, "excludeResourceRules": excluded})
    assert make(policies, name="let-through").status == 201
    assert make(policies).status == 422
    policies.forget()
    policies.put("false", constraints={"resourceRules": ABOUT_MAPS, "objectSelector": {"matchLabels": {"checked": "yes"}}})
    assert make(policies).status == 201
    assert make(policies, labels={"checked": "yes"}).status == 422


def test_nothing_is_refused_without_a_binding(policies: Policies) -> None:
    policy = policies.put("false")
    assert make(policies).status == 422
    assert policies.wire.ask("DELETE", f"{policies.root}/validatingadmissionpolicybindings/{policy}-b").status == 200
    assert make(policies).status == 201


def test_parameters_by_name_and_by_labels(policies: Policies) -> None:
    wire = policies.wire
    kind = {"apiVersion": "v1", "kind": "ConfigMap"}
    limit = wire.fresh("limit")
    wire.create(MAPS, {"metadata": {"name": limit, "labels": {"limits": limit}}, "data": {"most": "2"}})
    expression = "object.data.size() <= int(params.data.most)"
    ref = {"name": limit, "parameterNotFoundAction": "Deny"}
    policies.put(expression, paramKind=kind, binding={"paramRef": ref})
    assert make(policies, {"a": "1"}).status == 201
    assert make(policies, {"a": "1", "b": "1", "c": "1"}).status == 422
    policies.forget()
    policies.put(expression, paramKind=kind, binding={"paramRef": {**ref, "name": "nobody"}})
    told = "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"
    assert make(policies).message.endswith(told)
    policies.forget()
    policies.put(expression, paramKind=kind, binding={"paramRef": {**ref, "name": "nobody", "parameterNotFoundAction": "Allow"}})
    assert make(policies).status == 201
    policies.forget()
    selector = {"selector": {"matchLabels": {"limits": limit}}, "parameterNotFoundAction": "Deny"}
    policies.put(expression, paramKind=kind, binding={"paramRef": selector})
    assert make(policies, {"a": "1", "b": "1", "c": "1"}).status == 422


NOTHING = {"apiVersion": "nowhere.example.com/v1", "kind": "Nothing"}


@pytest.mark.parametrize("actions", [("Deny",), ("Warn",), ("Audit",)])
def test_parameters_of_a_kind_that_nobody_serves_refuse_all_that_a_bound_policy_is_about(
    policies: Policies, actions: tuple[str, ...]
) -> None:
    """Wherever the binding counts, and whatever it says should follow: what is wrong is the policy."""
    ref = {"name": "one", "parameterNotFoundAction": "Allow"}
    elsewhere = {"namespaceSelector": {"matchLabels": {"no": "namespace"}}}
    policy = policies.put("true", paramKind=NOTHING, actions=actions, binding={"paramRef": ref, "matchResources": elsewhere})
    answer = make(policies)
    why = "failed to configure policy: failed to find resource referenced by paramKind: 'nowhere.example.com/v1, Kind=Nothing'"
    told = f"ValidatingAdmissionPolicy '{policy}' denied request: {why}"
    assert (answer.status, answer.reason) == (422, "Invalid")
    assert answer.message.endswith(f"is forbidden: {told}")
    assert answer.json["details"]["causes"] == [{"message": told}]
    assert policies.wire.ask("DELETE", f"{policies.root}/validatingadmissionpolicybindings/{policy}-b").status == 200
    assert make(policies).status == 201


def test_of_the_core_group_it_is_told_with_a_slash_all_the_same(policies: Policies) -> None:
    policies.put("true", paramKind={"apiVersion": "v1", "kind": "Nothing"})
    assert make(policies).message.endswith("referenced by paramKind: '/v1, Kind=Nothing'")


def test_policies_that_are_configured_wrongly_may_be_ignored(policies: Policies) -> None:
    policies.put("false", paramKind=NOTHING, failurePolicy="Ignore")
    assert make(policies).status == 201


@pytest.mark.parametrize("actions", [("Warn",), ("Audit",)])
def test_parameters_that_must_be_there_refuse_whatever_should_follow(policies: Policies, actions: tuple[str, ...]) -> None:
    missing = {"paramRef": {"name": "nobody", "parameterNotFoundAction": "Deny"}}
    kind = {"apiVersion": "v1", "kind": "ConfigMap"}
    policy = policies.put("true", paramKind=kind, actions=actions, binding=missing)
    answer = make(policies)
    why = "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"
    assert answer.status == 422
    assert answer.message.endswith(f"ValidatingAdmissionPolicy '{policy}' with binding '{policy}-b' denied request: {why}")
    policies.forget()
    policies.put("true", paramKind=kind, actions=actions, binding=missing, failurePolicy="Ignore")
    assert make(policies).status == 201


def test_parameters_of_a_kind_of_ones_own(policies: Policies) -> None:
    wire, group = policies.wire, "rules.example.com"
    schema = {"type": "object", "x-" + _prefix(wire) + "-preserve-unknown-fields": True}
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]
    names = {"plural": "replicalimits", "kind": "ReplicaLimit", "singular": "replicalimit"}
    definitions = f"/apis/{wire.dialect.group('apiextensions')}/v1/customresourcedefinitions"
    spec = {"group": group, "names": names, "scope": "Namespaced", "versions": versions}
    wire.create(definitions, {"metadata": {"name": f"replicalimits.{group}"}, "spec": spec})
    limits = f"/apis/{group}/v1/namespaces/default/replicalimits"
    while (
        made := wire.ask("POST", limits, {"apiVersion": f"{group}/v1", "kind": "ReplicaLimit", "metadata": {"name": "l"}, "max": 3})
    ).status == 404:
        pass
    assert made.status == 201, made.json
    about = [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["deployments"]}]
    kind = {"apiVersion": f"{group}/v1", "kind": "ReplicaLimit"}
    ref = {"name": "l", "parameterNotFoundAction": "Deny"}
    message = "'at most ' + string(params.max) + ' replicas'"
    validation = {"expression": "object.spec.replicas <= params.max", "messageExpression": message}
    policies.put(validation, constraints={"resourceRules": about}, paramKind=kind, binding={"paramRef": ref})

    def ask(replicas: int) -> Answer:
        template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
        spec = {"replicas": replicas, "selector": {"matchLabels": {"a": "b"}}, "template": template}
        return wire.ask("POST", DEPLOYMENTS, {"metadata": {"name": wire.fresh("web")}, "spec": spec})

    assert ask(3).status == 201
    assert ask(4).message.endswith("denied request: at most 3 replicas")


def _prefix(wire: Wire) -> str:
    return wire.dialect.extension_prefix.strip("-").removeprefix("x-")


def test_policies_are_not_about_policies(policies: Policies) -> None:
    everything = [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}]
    policies.put("false", constraints={"resourceRules": everything})
    assert make(policies).status == 422
    policies.forget()
    assert make(policies).status == 201


# --- What is told in their status ---


def checked(policies: Policies, name: str, generation: int = 1) -> Object:
    """The type checking of a policy's generation, once it is done."""
    path = f"{policies.root}/validatingadmissionpolicies/{name}"
    found: Object = policies.wire.until(path, lambda policy: (policy.get("status") or {}).get("observedGeneration") == generation)["status"]
    return found["typeChecking"]


def test_expressions_are_checked_with_the_kinds_that_are_named(policies: Policies) -> None:
    wire = policies.wire
    resources = ["deployments", "replicasets", "nope"]
    rule = {"apiGroups": ["apps", "none.example.com"], "apiVersions": ["v1", "v9"], "operations": ["CREATE"], "resources": resources}
    policy = policies.put(
        "object.replicas > 1",
        "object.spec.template.spec.containers.all(c, c.image.startsWith('a') && object.metadata.namespace != '')",
        {"expression": "variables.count + 1 > 0", "messageExpression": "'has ' + object.spec.paused"},
        variables=[{"name": "count", "expression": "object.spec.replicas"}],
        constraints={"resourceRules": [rule]},
    )
    found = checked(policies, policy)["expressionWarnings"]
    assert [one["fieldRef"] for one in found] == ["spec.validations[0].expression", "spec.validations[2].messageExpression"]
    assert found[0]["warning"] == "\n".join(
        f"apps/v1, Kind={kind}: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n"
        for kind in ("Deployment", "ReplicaSet")
    )
    assert "apps/v1, Kind=Deployment: ERROR: <input>:1:8: found no matching overload for '_+_'" in found[1]["warning"]
    path = f"{policies.root}/validatingadmissionpolicies/{policy}"
    mended = {"spec": {"validations": [{"expression": "object.spec.replicas > 1"}]}}
    assert wire.ask("PATCH", path, mended, content_type=MERGE).status == 200
    assert checked(policies, policy, 2) == {}


def test_parameters_and_custom_kinds_are_checked_too(policies: Policies) -> None:
    wire = policies.wire
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}
    names = {"plural": "boxes", "kind": "Box"}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    body = {"metadata": {"name": "boxes.example.com"}, "spec": {"group": "example.com", "names": names, "scope": "Namespaced"}}
    body["spec"]["versions"] = [version]
    definitions = f"/apis/{wire.dialect.group('apiextensions')}/v1/customresourcedefinitions"
    wire.create(definitions, body)
    wire.until(f"{definitions}/boxes.example.com", lambda one: "Established" in json.dumps(one.get("status")))
    rule = {"apiGroups": ["example.com"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["boxes"]}
    policy = policies.put(
        "object.spec.size < params.spec.sise",
        "object.spec.size < params.spec.size",
        "object.spec.width < 3",
        paramKind={"apiVersion": "example.com/v1", "kind": "Box"},
        constraints={"resourceRules": [rule]},
    )
    nowhere = {"apiVersion": "none.example.com/v1", "kind": "None"}
    assert checked(policies, policies.put("params.a == object.spec.size", paramKind=nowhere, constraints={"resourceRules": [rule]})) == {}
    found = checked(policies, policy)["expressionWarnings"]
    assert [one["fieldRef"] for one in found] == ["spec.validations[0].expression", "spec.validations[2].expression"]
    assert "undefined field 'sise'" in found[0]["warning"]
    assert "example.com/v1, Kind=Box: ERROR" in found[1]["warning"]


def test_what_is_told_of_a_kind_ends_its_line(policies: Policies) -> None:
    """And a kind of the core group has a slash, as in all that is told of kinds."""
    [warning] = checked(policies, policies.put("  object.nope == 1"))["expressionWarnings"]
    marked = "undefined field 'nope'\n |   object.nope == 1\n | ........^"
    assert warning == {
        "fieldRef": "spec.validations[0].expression",
        "warning": f"/v1, Kind=ConfigMap: ERROR: <input>:1:9: {marked}\n",
    }


def test_what_names_no_kind_is_not_checked(policies: Policies) -> None:
    rule = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CREATE"], "resources": ["*"]}
    policy = policies.put("!has(object.none)", constraints={"resourceRules": [rule]})
    assert checked(policies, policy) == {}


# --- What variables may be, and whom they may ask ---


def test_variables_may_be_of_any_type(policies: Policies) -> None:
    variables = [
        {"name": "size", "expression": "object.?data.?size"},
        {"name": "day", "expression": "duration('24h')"},
        {"name": "text", "expression": "'2020-01-01T00:00:00Z'"},
        {"name": "then", "expression": "timestamp(variables.text) + variables.day"},
        {"name": "kind", "expression": "type(1)"},
        {"name": "both", "expression": "variables.size.orValue('3') + variables.size.orValue('4')"},
    ]
    expressions = (
        "variables.size.orValue('none') != 'large'",
        "variables.day < duration('48h') && variables.then < timestamp('2021-01-01T00:00:00Z')",
        "variables.kind == int && has(variables.size)",
        "variables.both.size() > 1",
    )
    policies.put(*expressions, variables=variables)
    for data, status in (({}, 201), ({"size": "small"}, 201), ({"size": "large"}, 422)):
        assert (answer := make(policies, data)).status == status, answer.message


def test_the_resource_of_the_request_can_be_asked_about(policies: Policies) -> None:
    policies.put("authorizer.requestResource.check('create').allowed() && !authorizer.requestResource.check('fly').errored()")
    assert (answer := make(policies)).status == 201, answer.message
    policies.forget()
    policies.put("authorizer.requestResource.check('list').reason() == ''")
    wire = policies.wire
    rules = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create"]}
    body = {"metadata": {"name": wire.fresh("map")}}
    assert wire.ask("POST", MAPS, body, headers=allowed(wire, rules)).status == 201


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("authorizer.path(object.data.none)", "path must not be empty"),
        ("authorizer.path(' ' + object.data.none)", "path must not be empty"),
        ("authorizer.group('').resource('')", "resource must not be empty"),
        ("authorizer.group('').resource('\\t ')", "resource must not be empty"),
        ("authorizer.serviceAccount('Bad NS', 'x').path('/')", "Invalid service account namespace"),
        ("authorizer.serviceAccount('a.b', 'x').path('/')", "Invalid service account namespace"),
        ("authorizer.serviceAccount('default', 'Bad_Name').path('/')", "Invalid service account name"),
        ("authorizer.serviceAccount('', '').path('/')", "Invalid service account name"),
    ],
)
def test_the_authorizer_is_not_asked_about_nothing(policies: Policies, asked: str, why: str) -> None:
    policies.put(f"{asked}.check('get').reason() != 'none'")
    answer = make(policies, {"none": ""})
    assert answer.status == 422, answer.message
    assert answer.message.endswith(f"resulted in error: {why}")
    policies.forget()
    policies.put(f"{asked}.check('get').errored()", failurePolicy="Ignore")
    assert make(policies, {"none": ""}).status == 201


@pytest.mark.parametrize("narrowed", ["labelSelector('a b c')", "fieldSelector('((')", "labelSelector('a=b').fieldSelector('x')"])
def test_a_selector_that_can_not_be_understood_narrows_nothing(policies: Policies, narrowed: str) -> None:
    asked = f"authorizer.group('').resource('pods').{narrowed}.check('list')"
    policies.put(f"{asked}.allowed() && !{asked}.errored()", f"{asked}.error() == ''")
    assert (answer := make(policies)).status == 201, answer.message


@pytest.mark.parametrize(
    ("variables", "expression", "wrong"),
    [
        ({"x": "1"}, "variables.x", "must evaluate to bool but got int"),
        ({"x": "'s'"}, "variables.x == 1", "found no matching overload for '_==_' applied to '(string, int)'"),
        ({"x": "'s'", "y": "variables.x"}, "variables.y == 1", "found no matching overload for '_==_' applied to '(string, int)'"),
        ({"x": "[1]"}, "'a' in variables.x", "found no matching overload"),
        ({"x": "1"}, "variables.z == 1", "undefined field 'z'"),
        ({}, "variables.z == 1", "undeclared reference to 'variables' (in container '')"),
        ({"x": "1"}, "variables.x == 1", ""),
        ({"x": "object.data"}, "variables.x.a == 1", ""),
        ({"x": "object.?data"}, "variables.x.hasValue()", ""),
        ({"x": "object.?data.?a.orValue('b')"}, "variables.x == 'b'", ""),
        ({"x": "[1, 2].map(i, i * 2)"}, "variables.x.all(i, i > 1)", ""),
        ({"x": "params.data"}, "variables.x == null || variables.x.a == 'b'", ""),
        ({"x": "duration('1h')"}, "variables.x < duration('2h')", ""),
        ({"x": "object.metadata.name.startsWith('a')", "y": "!variables.x"}, "variables.y", ""),
        ({"x": "authorizer.group('').resource('pods').check('get')"}, "variables.x.allowed()", ""),
        ({"x": "authorizer.group('').resource('pods').namespace('a')"}, "variables.x.check('get').allowed()", ""),
        ({"x": "authorizer.serviceAccount('a', 'b')"}, "variables.x.path('/').check('get').errored()", ""),
        ({}, "authorizer.foo", "undefined field 'foo'"),
        ({}, "jsonpatch.escapeKey('a/b') == 'a~1b'", "undeclared reference to 'jsonpatch'"),
        ({}, "authorizer.group('').check('get').allowed()", "found no matching overload for 'check'"),
        ({}, "authorizer.path('/').check('get')", "must evaluate to bool but got kubernetes.authorization.Decision"),
    ],
)
def test_variables_have_the_type_of_their_expression(wire: Wire, variables: dict[str, str], expression: str, wrong: str) -> None:
    spec = {
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "matchConstraints": {"resourceRules": ABOUT_MAPS},
        "variables": [{"name": name, "expression": text} for name, text in variables.items()],
        "validations": [{"expression": expression}],
    }
    path = f"/apis/{wire.dialect.group('admissionregistration')}/v1/validatingadmissionpolicies"
    answer = wire.ask("POST", path, {"metadata": {"name": wire.fresh("typed")}, "spec": spec}, dryRun="All")
    assert answer.status == (422 if wrong else 201), answer.json
    if wrong:
        [cause] = answer.json["details"]["causes"]
        assert cause["field"] == "spec.validations[0].expression"
        assert wrong in cause["message"]
