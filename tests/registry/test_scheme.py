"""A scheme that changes while it is in use."""

import pytest

from svcsim.dialect import KUBERNETES
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.kind import Context, Conversion, Group, Kind
from svcsim.registry.scheme import Change, Scheme, SchemeError
from svcsim.schema.types import Struct
from tests.steps import steps_of


def kind(group: str, version: str, name: str, *, plural: str = "", stored_as: Kind | None = None) -> Kind:
    conversion = None if stored_as is None else Conversion(stored_as, _as_it_is, _as_it_is)
    return Kind(Group(group, version), plural or name.lower() + "s", Struct(name), conversion=conversion)


def _as_it_is(obj: Object, context: Context) -> Object:
    return dict(obj)


POD = kind("", "v1", "Pod")
DEPLOYMENT = kind("apps", "v1", "Deployment")
WIDGET = kind("acme.io", "v1", "Widget")
BETA_WIDGET = kind("acme.io", "v1beta1", "Widget", stored_as=WIDGET)
ACME = GroupVersion("acme.io", "v1")


@pytest.fixture
def scheme() -> Scheme:
    return Scheme(KUBERNETES, (POD, DEPLOYMENT))


def served(scheme: Scheme) -> list[str]:
    return [f"{resource.api_version}/{resource.kind.plural}" for resource in scheme.resources]


def test_a_kind_that_is_served_is_found_and_one_that_is_withdrawn_is_not(scheme: Scheme):
    scheme.serve((WIDGET,))
    found = scheme.find(ACME, "widgets")
    assert found is not None
    assert found is scheme.find_kind(ACME, "Widget")
    assert scheme.serves(found)
    assert scheme.resources_of(ACME) == (found,)

    scheme.replace((WIDGET,), ())
    assert scheme.find(ACME, "widgets") is scheme.find_kind(ACME, "Widget") is None
    assert not scheme.serves(found)
    assert scheme.resources_of(ACME) == ()
    assert list(scheme.group_versions()) == ["", "apps"]


def test_every_change_is_counted_and_announced_when_it_is_done(scheme: Scheme):
    seen: list[tuple[int, list[str]]] = []
    scheme.on_change(lambda _: seen.append((scheme.generation, served(scheme))))
    before = scheme.generation
    scheme.serve((WIDGET,))
    scheme.replace((WIDGET,), ())
    first = ["v1/pods", "apps/v1/deployments"]
    assert seen == [(before + 1, [*first, "acme.io/v1/widgets"]), (before + 2, first)]


def test_late_groups_follow_the_first_ones_by_name_and_versions_by_priority(scheme: Scheme):
    scheme.serve((kind("zoo.io", "v1alpha1", "Ape"), kind("apps", "v2", "Deployment", plural="deploys", stored_as=DEPLOYMENT)))
    scheme.serve((BETA_WIDGET, WIDGET, kind("acme.io", "v2alpha1", "Widget", stored_as=WIDGET)))
    assert scheme.group_versions() == {
        "": ("v1",),
        "apps": ("v2", "v1"),
        "acme.io": ("v1", "v1beta1", "v2alpha1"),
        "zoo.io": ("v1alpha1",),
    }


def test_what_stays_keeps_its_resource_and_an_unchanged_version_its_tuple(scheme: Scheme):
    scheme.serve((WIDGET, BETA_WIDGET))
    apps = scheme.resources_of(GroupVersion("apps", "v1"))
    (widget,) = scheme.resources_of(ACME)
    scheme.replace((WIDGET, BETA_WIDGET), (WIDGET,))
    assert scheme.resources_of(GroupVersion("apps", "v1")) is apps
    assert scheme.resources_of(ACME) == (widget,)
    assert scheme.find(ACME, "widgets") is widget


def test_a_kind_is_replaced_by_another_of_its_name(scheme: Scheme):
    scheme.serve((WIDGET, BETA_WIDGET))
    old = scheme.find(ACME, "widgets")
    newer = kind("acme.io", "v1", "Widget")
    scheme.replace((WIDGET, BETA_WIDGET), (newer, kind("acme.io", "v1beta1", "Widget", stored_as=newer)))
    found = scheme.find(ACME, "widgets")
    assert found is not None
    assert found is not old
    assert found.kind is newer
    beta = scheme.find(GroupVersion("acme.io", "v1beta1"), "widgets")
    assert beta is not None
    assert beta.storage_version is found


def test_a_version_that_is_known_but_not_served_still_converts(scheme: Scheme):
    scheme.serve((BETA_WIDGET,), known=(WIDGET,))
    beta = scheme.find(GroupVersion("acme.io", "v1beta1"), "widgets")
    assert beta is not None
    assert scheme.find(ACME, "widgets") is None
    assert scheme.version(beta, "acme.io/v1") is beta.storage_version
    scheme.serve((WIDGET,))
    assert scheme.find(ACME, "widgets") is beta.storage_version


@pytest.mark.parametrize(
    ("kinds", "why"),
    [
        ((kind("acme.io", "v1", "Gadget", plural="widgets"),), 'acme.io/v1 Gadget: the plural "widgets" belongs to Widget already'),
        ((kind("acme.io", "v1", "Widget", plural="gadgets"),), 'acme.io/v1 Widget: this is the kind of "widgets" already'),
        ((kind("acme.io", "v2", "Widget"),), "widgets.acme.io can't be stored both as acme.io/v1 and as acme.io/v2"),
        ((WIDGET,), "acme.io/v1 Widget is served already"),
        (
            (kind("acme.io", "v2", "Gadget", stored_as=kind("acme.io", "v1", "Gadget")),),
            "acme.io/v2 Gadget is stored as acme.io/v1, which isn't there",
        ),
    ],
)
def test_what_contradicts_is_refused_whole(scheme: Scheme, kinds: tuple[Kind, ...], why: str):
    scheme.serve((WIDGET,))
    before = (scheme.generation, served(scheme))
    with pytest.raises(SchemeError) as refused:
        scheme.serve((kind("zoo.io", "v1", "Ape"), *kinds))
    assert str(refused.value) == why
    assert (scheme.generation, served(scheme)) == before
    assert scheme.find(GroupVersion("zoo.io", "v1"), "apes") is None


def test_only_what_is_there_can_be_withdrawn_and_not_what_others_are_stored_as(scheme: Scheme):
    with pytest.raises(SchemeError, match="Widget isn't served"):
        scheme.replace((WIDGET,), ())
    scheme.serve((WIDGET, BETA_WIDGET))
    with pytest.raises(SchemeError, match="v1beta1 Widget is stored as acme"):
        scheme.replace((WIDGET,), ())
    assert scheme.find(ACME, "widgets") is not None


def test_the_same_plural_may_stand_in_other_groups(scheme: Scheme):
    scheme.serve((kind("apps.acme.io", "v1", "Deployment"), kind("pods.acme.io", "v1", "Pod")))
    assert served(scheme) == ["v1/pods", "apps/v1/deployments", "apps.acme.io/v1/deployments", "pods.acme.io/v1/pods"]


def steps_of_a_change(others: int, group: str) -> int:
    """What it takes to replace one kind by another where so many others are served, in one group or in groups of their own."""
    scheme = Scheme(KUBERNETES, (POD, DEPLOYMENT))
    scheme.serve((WIDGET, BETA_WIDGET))
    scheme.serve([kind(group.format(number), "v1", f"Other{number}") for number in range(others)])
    newer = kind("acme.io", "v1", "Widget")
    return steps_of(lambda: scheme.replace((WIDGET, BETA_WIDGET), (newer, kind("acme.io", "v1beta1", "Widget", stored_as=newer))))


@pytest.mark.parametrize("group", ["zoo.io", "zoo{}.io"])
def test_a_change_takes_no_longer_where_many_others_are_served(group: str):
    assert steps_of_a_change(300, group) == steps_of_a_change(3, group)


def test_a_change_tells_what_is_gone_and_which_versions_of_groups_are_others(scheme: Scheme):
    seen: list[Change] = []
    scheme.serve((WIDGET, BETA_WIDGET))
    gone = scheme.find(ACME, "widgets")
    scheme.on_change(seen.append)
    scheme.replace((WIDGET, BETA_WIDGET), (BETA_WIDGET,), known=(WIDGET,))
    scheme.serve((kind("zoo.io", "v1", "Ape"),))
    assert seen == [Change((ACME,), (gone,)), Change((GroupVersion("zoo.io", "v1"),), ())]


def test_the_versions_of_groups_are_the_same_mapping_until_one_comes_or_goes(scheme: Scheme):
    scheme.serve((WIDGET,))
    before = scheme.group_versions()
    scheme.serve((kind("acme.io", "v1", "Gadget"),))
    assert scheme.group_versions() is before
    scheme.serve((BETA_WIDGET,))
    assert scheme.group_versions() is not before
