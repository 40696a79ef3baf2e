"""What the names of API versions say."""

from svcsim.meta.api_versions import stability, version_priority


def test_how_stable_a_version_is_stands_in_its_name():
    assert [stability(version) for version in ("v1", "v12", "v1beta1", "v2alpha3", "odd")] == ["ga", "ga", "beta", "alpha", "alpha"]


def test_stable_versions_come_first_then_beta_then_alpha_the_newest_of_each_first():
    """The order of Kubernetes' own documentation of version priority."""
    ordered = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"]
    assert sorted(sorted(ordered), key=version_priority) == ordered
