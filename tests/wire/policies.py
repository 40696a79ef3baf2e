"""Admission policies of a cluster, each with a binding."""

from typing import Literal

from svcsim.meta.types import Object
from tests.wire.raw import Wire

MAPS = "/api/v1/namespaces/default/configmaps"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
ABOUT_MAPS = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["configmaps"]}]


class BoundPolicies:
    """Makes those of one kind, and takes them back."""

    def __init__(self, wire: Wire, kind: Literal["validating", "mutating"]) -> None:
        self.wire = wire
        self.root = f"/apis/{wire.dialect.group('admissionregistration')}/v1"
        self._policies, self._bindings = f"{self.root}/{kind}admissionpolicies", f"{self.root}/{kind}admissionpolicybindings"

    def bind(self, policy: Object, binding: Object, name: str = "") -> str:
        """Both by their ``spec``; the policy's name."""
        name = name or self.wire.fresh("policy")
        self.wire.create(self._policies, {"metadata": {"name": name}, "spec": policy})
        self.wire.create(self._bindings, {"metadata": {"name": f"{name}-b"}, "spec": {"policyName": name, **binding}})
        return name

    def forget(self) -> None:
        for path in (self._policies, self._bindings):
            assert self.wire.ask("DELETE", path).status == 200
