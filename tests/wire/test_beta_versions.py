"""Versions from before kinds were stable, on a cluster that was asked for them: older kubectl describes by them."""

import json
from collections.abc import Iterator

import pytest

from tests.process import served
from tests.wire.raw import Wire
from tests.wire.test_kubectl import KUBECTL, Kubectl

pytestmark = pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH")
CONFIG = "networking.k8s.io/v1beta1=true,storage.k8s.io/v1beta1=true"
CLASS = {"apiVersion": "storage.k8s.io/v1beta1", "kind": "VolumeAttributesClass", "metadata": {"name": "fast"}, "driverName": "d"}


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    options = ("--nodes", "0", "--durability", "process", "--runtime-config", CONFIG)
    with served(tmp_path_factory.mktemp("beta"), "kubernetes", *options) as server:
        wire = Wire(server)
        kubectl = Kubectl(wire, tmp_path_factory.mktemp("kubectl"), "default")
        kubectl.run("create", "-f", "-", sent={**CLASS, "parameters": {"iops": "5"}})
        yield kubectl
        wire.close()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("servicecidr kubernetes", "CIDRs:        10.96.0.0/16\n"),
        ("ipaddress 10.96.0.1", "  Resource:   services\n"),
        ("vac fast", "Parameters:   iops=5\n"),
    ],
)
def test_older_kubectl_describes_them(kubectl: Kubectl, words: str, told: str):
    assert told in kubectl.run("describe", *words.split())


@pytest.mark.parametrize(
    "resource", ["servicecidrs.networking.k8s.io", "ipaddresses.networking.k8s.io", "volumeattributesclasses.storage.k8s.io"]
)
def test_the_stable_version_is_preferred_and_stored(kubectl: Kubectl, resource: str):
    plural, _, group = resource.partition(".")
    (stable,) = json.loads(kubectl.run("get", resource, "-o", "json"))["items"]
    (beta,) = json.loads(kubectl.run("get", f"{plural}.v1beta1.{group}", "-o", "json"))["items"]
    assert (stable["apiVersion"], beta["apiVersion"]) == (f"{group}/v1", f"{group}/v1beta1")
    assert {**beta, "apiVersion": stable["apiVersion"]} == stable


def test_the_rules_are_those_of_the_stable_version_and_told_once(kubectl: Kubectl):
    told = kubectl.run("create", "-f", "-", sent={**CLASS, "driverName": "-"}, fails=True)
    assert told.count("driverName: ") == 1
    assert "is deprecated in v1.34+, unavailable in v1.37+; use storage.k8s.io/v1 VolumeAttributesClass" in told
    told = kubectl.run("patch", "volumeattributesclasses.v1beta1.storage.k8s.io", "fast", "-p", '{"driverName": "e"}', fails=True)
    assert told.count("driverName: ") == 1


def test_they_are_explained(kubectl: Kubectl):
    assert "VERSION:    v1beta1\n" in kubectl.run("explain", "servicecidr.spec.cidrs", "--api-version=networking.k8s.io/v1beta1")


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_each_version_is_described_as_itself(kubectl: Kubectl, version: str):
    document = kubectl.wire.get(f"/openapi/v3/apis/networking.k8s.io/{version}")
    described = document["components"]["schemas"][f"io.k8s.api.networking.{version}.ServiceCIDR"]
    assert described["x-kubernetes-group-version-kind"] == [{"group": "networking.k8s.io", "version": version, "kind": "ServiceCIDR"}]
