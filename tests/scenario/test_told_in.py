"""Objects are looked at in the version, and in the place, in which is told what becomes of them: what asks for another is refused."""

import re

import pytest

from tests.scenario.replaying import WIDGETS

CRD = f"""{WIDGETS}
            - {{name: v1, served: true, storage: true, schema: &any {{openAPIV3Schema: {{type: object}}}}}}
            - {{name: v2, served: true, storage: false, schema: *any}}
    - wait: {{kind: CustomResourceDefinition, name: widgets.example.com, for: condition=Established}}
    - create: {{object: {{apiVersion: example.com/v2, kind: Widget, metadata: {{name: w, namespace: default}}}}}}
"""
EVENTS = "events.svcapi.io/v1"


def steps(expectation: str) -> str:
    return f"\n  cluster: {{nodes: 1}}\n  steps:\n  - id: made\n    do:{CRD}  - id: one\n    expect: [{expectation}]\n"


@pytest.mark.parametrize(
    "expectation",
    [
        "{eventually: {count: {kind: Widget, eq: 1}}}",
        "{eventually: {count: {kind: Widget, apiVersion: example.com/v1, namespace: default, eq: 1}}}",
        "{eventually: {kind: Event, apiVersion: v1, where: \"reason == 'NodeReady'\"}, within: 1m}",
        "{eventually: {kind: Node, apiVersion: v1}}",
        "{never: {kind: HorizontalPodAutoscaler, apiVersion: autoscaling/v2}}",
    ],
)
def test_what_is_asked_for_as_it_is_told_is_found(replay, expectation):
    outcome = replay(steps(expectation))
    assert outcome.code == 0, outcome.out


@pytest.mark.parametrize(
    ("expectation", "told"),
    [
        (
            "{never: {kind: Widget, apiVersion: example.com/v2}}",
            "what becomes of Widget objects is told in example.com/v1: name that version, or none",
        ),
        (
            f"{{always: {{count: {{kind: Event, apiVersion: {EVENTS}, eq: 0}}}}}}",
            "what becomes of Event objects is told in v1: name that version, or none",
        ),
        (
            "{never: {kind: HorizontalPodAutoscaler, apiVersion: autoscaling/v1}}",
            "what becomes of HorizontalPodAutoscaler objects is told in autoscaling/v2: name that version, or none",
        ),
        ("{never: {kind: Node, namespace: default}}", "no Node is in a namespace: leave out 'default'"),
        ("{always: {count: {kind: Widget, apiVersion: example.com/v3, eq: 0}}}", "the cluster has no kind 'Widget' in example.com/v3"),
    ],
)
def test_what_asks_for_it_otherwise_is_refused(replay, expectation, told):
    outcome = replay(steps(expectation))
    assert outcome.code == 1
    assert re.search(f"one .*: (never|always): {re.escape(told)}", outcome.out), outcome.out


def test_a_kind_of_its_own_may_be_spoken_of_before_it_is_there_and_after_it_is_gone(replay):
    outcome = replay(f"""
  cluster: {{nodes: 0}}
  invariants: [{{never: {{kind: Widget, where: "metadata.name == 'none'"}}}}]
  steps:
  - id: made
    do:{CRD}    expect: [{{always: {{count: {{kind: Widget, lte: 1}}}}}}, {{eventually: {{kind: Widget, name: w}}}}]
  - id: gone
    do: [{{delete: {{kind: CustomResourceDefinition, name: widgets.example.com}}}}]
    expect: [{{eventually: {{count: {{kind: Widget, eq: 0}}}}}}, {{never: {{kind: Widget, name: other}}}}]
""")
    assert outcome.code == 0, outcome.out
