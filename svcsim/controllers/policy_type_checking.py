"""Type checking of validating policies: errors in expressions, given the kinds that a policy matches, are reported in its status.

Expressions are accepted whatever fields they use, since future kinds aren't known. If a policy names kinds that the cluster serves, its
author wants to know of a misspelled field before a request fails because of it.
"""

from collections.abc import Iterator
from itertools import islice, product

from svcsim import limits
from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.client.discovery import ApiResource, read_resources
from svcsim.client.paths import group_path
from svcsim.meta.aside import aside
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.types import GroupVersion, GroupVersionKind, Object

_Bodies = dict[GroupVersion, bytes]
"""OpenAPI documents by the versions they describe."""


class PolicyTypeChecking(Controller):
    """Looks at each generation of a policy once."""

    def __init__(self, context: ControllerContext) -> None:
        group_version = f"{context.dialect.group('admissionregistration')}/v1"
        self._client = context.client
        self._prefix = context.dialect.extension_prefix
        self._api = context.client.resource(group_version, "validatingadmissionpolicies")
        self._policies = context.informers.cache(group_version, "validatingadmissionpolicies")
        super().__init__("validatingadmissionpolicy-status", context.clock, (Source(self._policies, itself),))

    async def reconcile(self, key: ObjectKey) -> None:
        policy = self._policies.get(key.name)
        if policy is None:
            return
        status, generation = policy.get("status") or {}, policy["metadata"]["generation"]
        if (status.get("observedGeneration") or 0) >= generation:
            return
        spec = policy["spec"]
        named, params = await self._kinds(spec), _param_kind(spec)
        described = named if params is None else [*named, params]
        versions = dict.fromkeys(kind.group_version for kind in described)
        bodies = {version: await self._said(f"/openapi/v3{group_path(str(version))}") for version in versions}
        warnings = await aside(limits.ASIDE_BYTES + 1, _checked, spec, named, params, bodies, self._prefix)
        checked = {"expressionWarnings": warnings} if warnings else {}
        await self._api.update({**policy, "status": {**status, "observedGeneration": generation, "typeChecking": checked}}, "status")

    async def _kinds(self, spec: Object) -> list[GroupVersionKind]:
        """The kinds that a policy names without wildcards, up to the number that is checked."""
        found: dict[GroupVersionKind, None] = {}
        served: dict[GroupVersion, list[ApiResource]] = {}
        for version, plural in islice(_resources(spec), limits.POLICY_TYPE_CHECKED_RESOURCES):
            if version not in served:
                body = await self._said(group_path(str(version)))
                served[version] = read_resources(decode_json(body)) if body else []
            found.update((GroupVersionKind(*version, one.kind), None) for one in served[version] if one.plural == plural)
            if len(found) >= limits.POLICY_TYPE_CHECKED_KINDS:
                break
        return sorted(list(found)[: limits.POLICY_TYPE_CHECKED_KINDS])

    async def _said(self, path: str) -> bytes:
        """What the server says there; of a version that it doesn't serve, nothing."""
        try:
            return await self._client.get_body(path)
        except StatusError as error:
            if error.code != 404:
                raise
            return b""


def _param_kind(spec: Object) -> GroupVersionKind | None:
    kind = spec.get("paramKind")
    return None if kind is None else GroupVersionKind(*GroupVersion.parse(kind.get("apiVersion") or ""), kind.get("kind") or "")


def _resources(spec: Object) -> Iterator[tuple[GroupVersion, str]]:
    """Each resource that is named, in its version and by its plural; subresources and what means all are left out."""
    for rule in (spec.get("matchConstraints") or {}).get("resourceRules") or ():
        for group, version, plural in product(*(rule.get(field) or () for field in ("apiGroups", "apiVersions", "resources"))):
            if not set(group + version + plural) & set("*/"):
                yield GroupVersion(group, version), plural


def _checked(spec: Object, named: list[GroupVersionKind], params: GroupVersionKind | None, bodies: _Bodies, prefix: str) -> list[Object]:
    # These load the CEL library, which most clusters never need.
    from svcsim.schema.cel.openapi_types import Document  # noqa: PLC0415
    from svcsim.schema.cel.policy_types import DescribedKind, expression_warnings  # noqa: PLC0415

    documents = {version: Document(decode_json(body) if body else {}, prefix) for version, body in bodies.items()}
    kinds = [DescribedKind(kind, documents[kind.group_version]) for kind in named]
    return expression_warnings(spec, kinds, None if params is None else DescribedKind(params, documents[params.group_version]))
