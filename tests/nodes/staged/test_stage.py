"""On which objects a stage is played, when, and which of several."""

from collections import Counter

import pytest

from svcsim.chance import Chance
from svcsim.meta.jq.query import parse
from svcsim.meta.types import Json, Object
from svcsim.nodes.staged.files import read_document
from svcsim.nodes.staged.stage import Finalizers, SaidAmount, Stage, StageRequirement, candidates, drawn
from svcsim.nodes.staged.templates import StageError
from tests.virtual import START_S

POD: Object = {
    "metadata": {
        "name": "web-1",
        "namespace": "shop",
        "labels": {"app": "web"},
        "annotations": {"d": "30s", "w": "7", "t": "2026-01-01T00:00:10Z"},
    },
    "status": {"phase": "Running", "restarts": 0, "ready": True},
}


def kwok(name: str = "s", selector: Json = None, **spec: Json) -> Object:
    found = {"resourceRef": {"kind": "Pod"}, "selector": selector if selector is not None else {}, "next": {"delete": True}, **spec}
    return {"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "Stage", "metadata": {"name": name}, "spec": found}


def own(name: str = "s", **fields: Json) -> Object:
    rest = {"when": ".status.phase", "delete": True, **fields}
    return {"apiVersion": "svcsim.dev/v1", "kind": "Stage", "metadata": {"name": name}, **rest}


def read(document: Object) -> Stage:
    found = read_document(document)
    assert found is not None
    return found


def expression(key: str, operator: str, *values: str) -> Object:
    return {"matchExpressions": [{"key": key, "operator": operator, **({"values": list(values)} if values else {})}]}


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        ({}, True),
        ({"matchLabels": {"app": "web"}}, True),
        ({"matchLabels": {"app": "web", "tier": "x"}}, False),
        ({"matchAnnotations": {"d": "30s"}}, True),
        ({"matchAnnotations": {"d": "31s"}}, False),
        (expression(".status.phase", "In", "Pending", "Running"), True),
        (expression(".status.phase", "NotIn", "Pending"), True),
        (expression(".status.phase", "NotIn", "Running"), False),
        (expression(".status.none", "NotIn", "Running"), True),
        (expression(".status.restarts", "In", "0"), True),
        (expression(".status.ready", "In", "true"), True),
        (expression(".status.phase", "Exists"), True),
        (expression(".status.none", "Exists"), False),
        (expression(".status.none", "DoesNotExist"), True),
        (expression(".status.none.[].kind", "DoesNotExist"), True),
        (expression(".status.none.[].kind", "NotIn", "Job"), True),
        (expression(".status.none.[].kind", "In", "Job"), False),
        ({"matchLabels": {"app": "web"}, **expression(".status.phase", "In", "Pending")}, False),
    ],
)
def test_selectors_as_kwok_has_them(selector, matches):
    assert read(kwok(selector=selector)).matches(POD) is matches


def test_a_stage_without_a_selector_is_played_on_nothing():
    document = kwok()
    del document["spec"]["selector"]
    assert read_document(document) is None


@pytest.mark.parametrize(
    ("fields", "matches"),
    [
        ({"match": {"kind": "Pod", "name": "web-*", "namespace": "sh*", "labels": {"app": "web"}}}, True),
        ({"match": {"namespace": "other"}}, False),
        ({"match": {"name": "db-*"}}, False),
        ({"when": '.status.phase == "Running"'}, True),
        ({"when": [".status.ready", ".status.restarts > 0"]}, False),
        ({"when": ".status.none"}, False),
        ({"when": "1 | keys"}, False),
    ],
)
def test_own_conditions(fields, matches):
    assert read(own(**fields)).matches(POD) is matches


@pytest.mark.parametrize(
    ("delay", "shortest", "longest"),
    [
        ({"durationMilliseconds": 1500}, 1.5, 1.5),
        ({"durationMilliseconds": 1000, "jitterDurationMilliseconds": 5000}, 1, 5),
        ({"durationMilliseconds": 5000, "jitterDurationMilliseconds": 1000}, 1, 1),
        ({"jitterDurationMilliseconds": 2000}, 0, 2),
        ({"durationMilliseconds": 9, "durationFrom": {"expressionFrom": ".metadata.annotations.d"}}, 30, 30),
        ({"durationMilliseconds": 9000, "durationFrom": {"expressionFrom": ".metadata.annotations.none"}}, 9, 9),
        ({"durationMilliseconds": 9000, "durationFrom": {"expressionFrom": ".metadata.name"}}, 9, 9),
        ({"durationMilliseconds": 1000, "jitterDurationFrom": {"expressionFrom": ".metadata.annotations.t"}}, 1, 10),
        ({"durationFrom": {"jq": {"expression": ".metadata.annotations.t"}}}, 10, 10),
        ({"durationFrom": {"expressionFrom": ".nothing"}}, 0, 0),
    ],
)
def test_delays(delay, shortest, longest):
    stage = read(kwok(delay=delay))
    drawn = [stage.delay_s(POD, START_S, Chance(seed)) for seed in range(50)]
    assert shortest <= min(drawn) <= max(drawn) <= longest
    assert (max(drawn) - min(drawn) > (longest - shortest) / 2) is (longest > shortest)


@pytest.mark.parametrize(
    ("delay", "seconds"),
    [
        ("5s", 5),
        ("PT1M", 60),
        (3, 3),
        ({"for": ".metadata.annotations.d"}, 30),
        ({"for": ".metadata.annotations.d", "jitter": "5s"}, 30),
        ({"for": "20s", "jitter": "20s"}, 20),
        ({"for": "20s", "jitter": ".metadata.annotations.t"}, 20),
        ('.metadata.annotations.none // "4s"', 4),
        (None, 0),
    ],
)
def test_own_delays(delay, seconds):
    assert read(own(delay=delay)).delay_s(POD, START_S, Chance(1)) == seconds


def shares(*stages: Stage) -> Counter[str]:
    chance = Chance(3)
    return Counter(stage.name for _ in range(2000) if (stage := drawn(candidates(stages, POD), chance)) is not None)


def test_of_several_stages_chance_chooses_by_their_weights():
    one, three, nothing = (read(kwok(name, weight=weight)) for name, weight in (("one", 1), ("three", 3), ("nothing", 0)))
    found = shares(one, three, nothing)
    assert set(found) == {"one", "three"}
    assert 2.5 < found["three"] / found["one"] < 3.5
    assert len(shares(nothing, nothing._replace(name="other"))) == 2
    assert shares(nothing) == {"nothing": 2000}


def test_a_weight_may_stand_in_the_object():
    seven = read(kwok("seven", weight=1, weightFrom={"expressionFrom": ".metadata.annotations.w"}))
    assert seven.weight.whole(POD) == 7
    untold = seven._replace(name="untold", weight=SaidAmount(1, parse(".metadata.name")))
    assert untold.weight.whole(POD) is None
    assert shares(seven, untold) == {"seven": 2000}
    assert len(shares(untold, untold._replace(name="other"))) == 2
    assert read(own(weight=".metadata.annotations.w")).weight.whole(POD) == 7


def test_finalizers():
    assert Finalizers(add=("c", "a"), remove=("b",)).changed(["a", "b"]) == ["a", "c"]
    assert Finalizers(empty=True).changed(["a"]) == []
    assert Finalizers(add=("x",), empty=True).changed(["a"]) == ["x"]


def test_a_requirement_in_words_of_its_own_has_to_hold_for_all_it_finds():
    assert StageRequirement(parse(".status.restarts"), "True").holds(POD), "0 is a value"
    assert not StageRequirement(parse(".status.ready, .status.none"), "True").holds(POD)
    assert not StageRequirement(parse("empty"), "True").holds(POD)


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ([], "it is no object"),
        ({"kind": "Stage", "apiVersion": "v2", "metadata": {"name": "a"}}, "or kwok.x-k8s.io/v1alpha1, but a Stage of v2"),
        ({**kwok(), "metadata": {}}, "metadata.name: is missing"),
        ({**kwok(), "spec": None}, "spec: must be a map"),
        (kwok(resourceRef={}), "spec.resourceRef.kind: is missing"),
        (kwok(resourceRef=None), "spec.resourceRef: is missing"),
        (kwok(wieght=1), "spec.wieght: unknown field; there are resourceRef, selector, delay, weight, "),
        (kwok(weight=-1), "spec.weight: must be a whole number, not below 0"),
        (kwok(weight=2**53), "spec.weight: must be at most 9007199254740991"),
        (kwok(weight=True), "spec.weight: must be a whole number, not below 0"),
        (kwok(delay={"durationMilliseconds": "1s"}), "spec.delay.durationMilliseconds: must be a whole number, not below 0"),
        (kwok(delay={"duration": "1s"}), "spec.delay.duration: unknown field"),
        (kwok(selector=expression(".a |", "Exists")), 'matchExpressions[0].key: ".a |" can\'t be read as a query: unexpected end'),
        (kwok(selector=expression(".a", "Is")), "matchExpressions[0].operator: must be one of In, NotIn, Exists, DoesNotExist"),
        (kwok(selector=expression(".a", "In")), "spec.selector.matchExpressions[0].values: is needed by the operator In"),
        (kwok(selector=expression(".a", "Exists", "b")), "spec.selector.matchExpressions[0].values: must be empty for the operator Exists"),
        (kwok(selector={"matchExpressions": [{"expression": "true"}]}), "expressions in CEL are not understood; use jq"),
        (kwok(selector={"matchLabels": {"a": 1}}), "spec.selector.matchLabels: must be a map of texts"),
        (kwok(next={"statusTemplate": "{{ nope }}"}), 'spec.next.statusTemplate: template: 1: function "nope" not defined'),
        (kwok(next={"patches": [{"template": "a", "type": "apply"}]}), "spec.next.patches[0].type: must be one of json, merge, strategic"),
        (kwok(steps=[{"patch": {"template": "a", "impersonation": {}}}]), "spec.steps[0].patch.impersonation.username: is missing"),
        (kwok(next={"statusTemplate": "a", "statusPatchAs": {"user": "x"}}), "spec.next.statusPatchAs.username: is missing"),
        (kwok(next={"patches": [{}]}), "spec.next.patches[0].template: is missing"),
        (kwok(next={"event": {"type": "Odd", "reason": "x"}}), "spec.next.event.type: must be one of Normal, Warning"),
        (kwok(next={"finalizers": {"add": [{}]}}), "spec.next.finalizers.add[0].value: is missing"),
        (kwok(next={"finalizers": {"add": [{"value": "a b"}]}}), 'spec.next.finalizers.add[0].value: "a b" can be no finalizer'),
        (
            kwok(next={"patches": [{"template": "a", "subresource": "state"}]}),
            "spec.next.patches[0].subresource: must be one of status, scale, resize, ephemeralcontainers, approval",
        ),
        (kwok(next={"statusTemplate": "a", "statusSubresource": "state"}), "spec.next.statusSubresource: must be one of status, scale"),
        (kwok(next={"delete": "yes"}), "spec.next.delete: must be true or false"),
        (kwok(immediateNextStage="no"), "spec.immediateNextStage: must be true or false"),
        (own(delete=None), "a stage does something: it needs patch, event or delete"),
        (own(patch=[1], delete=None), "patch: must be a map, or a template that makes one"),
        (own(delay="soon"), "delay: soon is no duration such as 90s, 1h30m or PT90S"),
        (own(delay={"fro": "1s"}), "delay.fro: unknown field"),
        (own(delay={"for": "20s", "jitter": "3s"}), "delay.jitter: it is the longest delay that chance may choose, and must not"),
        (own(when=None, delete=None, patch={"a": 1}), "when: is missing: without it the stage would be played"),
        (own(match={"knid": "Pod"}), "match.knid: unknown field; there are apiVersion, kind, labels, annotations, name, namespace"),
        (own(when=5), "when: must be a text, or a list of texts"),
        (own(match={"labels": {"a b": "c"}}), 'match.labels: Invalid value: "a b": name part must consist of alphanumeric characters'),
        (own(match={"labels": {"a": "b c"}}), 'match.labels: Invalid value: "b c": a valid label must be an empty string'),
        (own(match={"annotations": {"/a": "b c"}}), 'match.annotations: Invalid value: "/a": prefix part must be non-empty'),
        (own(match={"namespace": "My_Shop"}), 'match.namespace: "My_Shop" can be the name of none: a lowercase RFC 1123 label must'),
        (own(match={"name": "my web"}), 'match.name: "my web" can be the name of none: a lowercase RFC 1123 subdomain must consist'),
        (kwok(selector={"matchLabels": {"a": "-"}}), 'spec.selector.matchLabels: Invalid value: "-": a valid label must be'),
        (kwok(selector={"matchAnnotations": {"a/b/c": ""}}), 'spec.selector.matchAnnotations: Invalid value: "a/b/c": a qualified name'),
    ],
)  # fmt: skip
def test_a_stage_that_can_not_be_read_says_where(document, why):
    with pytest.raises(StageError) as raised:
        read_document(document)
    assert why in str(raised.value)


def test_names_may_be_patterns_and_annotations_of_any_text():
    match = {
        "kind": "Pod",
        "namespace": "shop-[!A]*",
        "name": "web-?",
        "annotations": {"E.com/x": "any thing: Ä"},
        "labels": {"a": ""},
    }
    assert read_document(own(match=match)).namespace == "shop-[!A]*"
    roles = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "name": "system:node"}
    assert read_document(own(match=roles)).object_name == "system:node"


def test_configuration_of_kwok_itself_and_its_definition_may_stand_in_the_file():
    assert read_document({"apiVersion": "config.kwok.x-k8s.io/v1alpha1", "kind": "KwokConfiguration"}) is None
    assert read_document({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}) is None


def test_queries_know_the_time():
    stage = read(own(when='now >= ("2024-01-01T00:00:00Z" | fromdate)', delay=". | now + 5 | todate"))
    assert not stage.matches(POD)
    timed = stage.timed(lambda: 1_709_210_096.0)
    assert timed.matches(POD)
    assert timed.delay.seconds(POD, 1_709_210_096.0) == 5


def test_a_query_that_needs_too_much_is_told():
    stage = read(own(when="until(false; .)", delay=". | [range(infinite)]"))
    assert list(stage.unmet(POD)) == ["until(false; .) (the query takes more than 100000 steps)"]
    (told,) = stage.delay_mistakes(POD)
    assert told.message == (
        "Stage s: its delay is what . | [range(infinite)] finds, and the query takes more than 100000 steps; it counts for nothing"
    )
