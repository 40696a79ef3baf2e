"""The ways from table to table."""

import pytest

from svcsim import limits
from svcsim.client.discovery import ApiResource
from svcsim.meta.types import Object
from svcsim.tui.model.resource_types import EVENTS, NAMESPACES, PODS, ResourceTypes
from svcsim.tui.model.rows import Column, RowKey
from svcsim.tui.model.table import Sort
from svcsim.tui.model.views import History, View, default_sort, drill_down, events_of, next_sort


def resource(api_version: str, plural: str, kind: str, *short: str, namespaced: bool = True) -> ApiResource:
    return ApiResource(api_version, plural, kind, namespaced, ("list", "watch"), kind.lower(), short, ())


DEPLOYMENTS = resource("apps/v1", "deployments", "Deployment", "deploy")
SERVICES = resource("v1", "services", "Service", "svc")
NODES = resource("v1", "nodes", "Node", "no", namespaced=False)
CONFIG_MAPS = resource("v1", "configmaps", "ConfigMap", "cm")
WIDGETS = resource("example.com/v1", "widgets", "Widget")
EVENTS_V1 = resource("events.example/v1", "events", "Event")
TYPES = ResourceTypes([PODS, EVENTS, NAMESPACES, DEPLOYMENTS, SERVICES, NODES, CONFIG_MAPS, WIDGETS, EVENTS_V1])


def named(name: str, namespace: str = "shop", **parts: Object) -> Object:
    return {"metadata": {"name": name, "namespace": namespace}, **parts}


def test_behind_a_deployment_are_the_pods_it_selects():
    obj = named("web", spec={"selector": {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "tier", "operator": "Exists"}]}})
    view = drill_down(DEPLOYMENTS, obj, TYPES)
    assert view == View(PODS, "shop", label_selector="app=web,tier", subject="deployment/web")


def test_behind_a_service_are_the_pods_it_selects():
    view = drill_down(SERVICES, named("web", spec={"selector": {"app": "web"}}), TYPES)
    assert view == View(PODS, "shop", label_selector="app=web", subject="service/web")


def test_behind_a_service_without_selector_is_nothing():
    assert drill_down(SERVICES, named("web", spec={}), TYPES) is None


def test_behind_a_node_are_the_pods_on_it():
    view = drill_down(NODES, named("node-1", ""), TYPES)
    assert view is not None
    assert (view.namespace, view.field_selector) == ("", "spec.nodeName=node-1")


def test_behind_a_namespace_are_its_pods():
    assert drill_down(NAMESPACES, named("shop", ""), TYPES) == View(PODS, "shop")


def test_behind_an_event_is_what_it_tells_of():
    view = drill_down(
        EVENTS, named("e", involvedObject={"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "shop"}), TYPES
    )
    assert view is not None
    assert (view.resource, view.field_selector) == (DEPLOYMENTS, "metadata.name=web")


def test_behind_a_definition_are_the_objects_it_defines():
    definitions = resource("apiextensions/v1", "customresourcedefinitions", "CustomResourceDefinition", namespaced=False)
    view = drill_down(definitions, named("widgets", "", spec={"group": "example.com", "names": {"plural": "widgets"}}), TYPES)
    assert view == View(WIDGETS)


def test_behind_a_config_map_is_nothing():
    assert drill_down(CONFIG_MAPS, named("settings"), TYPES) is None


def test_events_are_found_by_the_object_they_tell_of():
    view = events_of(PODS, RowKey("shop", "web-1"), "uid-1")
    assert view.field_selector == "involvedObject.kind=Pod,involvedObject.name=web-1,involvedObject.uid=uid-1"
    assert view.namespace == "shop"


def test_the_way_back_is_remembered_as_far_as_the_limit():
    history = History()
    for number in range(limits.DASHBOARD_VIEWS + 5):
        history.push(View(PODS, f"n{number}"))
    assert len(history) == limits.DASHBOARD_VIEWS
    newest = history.pop()
    assert newest is not None
    assert newest.namespace == f"n{limits.DASHBOARD_VIEWS + 4}"


def test_there_is_no_way_back_from_the_first_view():
    assert History().pop() is None


COLUMNS = tuple(Column(name, wide, name == "Name") for name, wide in (("Last Seen", False), ("Reason", False), ("Name", True)))


def test_what_happened_last_comes_first():
    assert default_sort(COLUMNS) == Sort(0)
    assert default_sort(COLUMNS[1:]) == Sort()


def test_the_order_goes_round_all_columns_that_are_shown():
    sort = Sort()
    seen = [(sort := next_sort(sort, COLUMNS, [0, 1])).column for _ in range(3)]
    assert seen == [0, 1, None]


@pytest.mark.parametrize("word", ["deployments", "deployment", "deploy", "Deployment", "DEPLOY", "deployments.apps"])
def test_a_type_is_found_by_all_its_words(word: str):
    assert TYPES.find(word) == DEPLOYMENTS


def test_of_two_types_with_one_name_the_first_wins_and_the_other_has_its_group():
    assert TYPES.find("events") == EVENTS
    assert TYPES.find("events.events.example") == EVENTS_V1


def test_words_are_completed_and_short_names_spelled_out():
    assert TYPES.complete("de") == ["deployments"]
    assert TYPES.complete("no") == ["nodes"]
    assert TYPES.complete("svc") == ["services"]
    assert TYPES.complete("") == ["configmaps", "deployments", "events", "namespaces", "nodes", "pods", "services", "widgets"]


def test_the_nearest_word_is_offered():
    assert TYPES.closest("deploymnts") == "deployments"
    assert TYPES.closest("xyzzy") == ""


def test_types_that_can_not_be_followed_are_left_out():
    reviews = ApiResource(
        "authorization/v1", "reviews", "Review", namespaced=False, verbs=("create",), singular="", short=(), categories=()
    )
    assert ResourceTypes([reviews]).find("reviews") is None
