"""``--runtime-config``: what a scheme serves and what it doesn't."""

import pytest

from svcsim.dialect import KUBERNETES
from svcsim.meta.types import GroupVersion
from svcsim.registry.kind import Conversion, Group, Kind
from svcsim.registry.runtime_config import RuntimeConfigError
from svcsim.registry.scheme import Scheme
from svcsim.schema.types import Struct


def kind(group: str, version: str, name: str, conversion: Conversion | None = None) -> Kind:
    return Kind(Group(group, version), name + "s", Struct(name.capitalize()), conversion=conversion)


BETA_JOB = kind("batch", "v2beta1", "job")
KINDS = (
    kind("", "v1", "pod"),
    kind("", "v1", "secret"),
    kind("apps", "v1", "deployment"),
    BETA_JOB,
    kind("batch", "v2beta1", "task"),
    kind("batch", "v3alpha1", "job", Conversion(BETA_JOB, lambda obj, _context: obj, lambda obj, _context: obj)),
)
STABLE = ["v1/pods", "v1/secrets", "apps/v1/deployments"]
BETA = ["batch/v2beta1/jobs", "batch/v2beta1/tasks"]
ALPHA = ["batch/v3alpha1/jobs"]


@pytest.mark.parametrize(
    ("config", "served"),
    [
        ("", STABLE),
        ("api/all", STABLE + BETA + ALPHA),
        ("api/beta=true", STABLE + BETA),
        ("api/alpha", STABLE + ALPHA),
        ("api/all=false,api/v1=true", ["v1/pods", "v1/secrets"]),
        ("api/ga=false,v1", ["v1/pods", "v1/secrets"]),
        ("apps/v1=false", ["v1/pods", "v1/secrets"]),
        ("api/v1/secrets=false", ["v1/pods", "apps/v1/deployments"]),
        ("batch/v2beta1/tasks", [*STABLE, "batch/v2beta1/tasks"]),
        ("batch/v2beta1,batch/v2beta1/tasks=false", [*STABLE, "batch/v2beta1/jobs"]),
        ("api/beta,batch/v2beta1=0", STABLE),
    ],
)
def test_what_is_served(config: str, served: list[str]):
    assert [f"{r.api_version}/{r.kind.plural}" for r in Scheme(KUBERNETES, KINDS, (config,)).resources] == served


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ("nope/v1=false", '--runtime-config: "nope/v1" is no version or resource this server has'),
        ("api/v1,apps/v1/pods", '--runtime-config: "apps/v1/pods" is no version or resource this server has'),
        ("apps/v1=perhaps", '--runtime-config: "apps/v1=perhaps" says neither true nor false'),
    ],
)
def test_what_means_nothing_is_refused(config: str, why: str):
    with pytest.raises(RuntimeConfigError) as refused:
        Scheme(KUBERNETES, KINDS, (config,))
    assert str(refused.value) == why


def test_what_others_serve_may_be_named():
    """Who asks an image policy is told to switch its version on."""
    of_others = [(GroupVersion("imagepolicy.k8s.io", "v1alpha1"), "imagereviews")]
    for config in ("imagepolicy.k8s.io/v1alpha1=true", "imagepolicy.k8s.io/v1alpha1/imagereviews", "imagepolicy.k8s.io/v1alpha1=false"):
        assert len(Scheme(KUBERNETES, KINDS, (config,), of_others).resources) == len(STABLE)


def test_a_kind_that_isnt_stable_may_be_served_even_so():
    kept = Kind(Group("policy", "v1beta1"), "guards", Struct("Guard"), served=True)
    for config, served in (("", True), ("api/beta=false", False), ("policy/v1beta1/guards=false", False), ("api/all=false", False)):
        assert [resource.kind for resource in Scheme(KUBERNETES, [kept], (config,)).resources] == [kept] * served
