"""Type checking of validating policies: what is wrong with expressions, seen with the kinds that a policy is about, is told in its status.

Expressions are let in whatever they say of objects, since nobody knows what kinds there will be. Where a policy names kinds that the
cluster serves, those who wrote it want to hear of a misspelled field before a request fails on it.
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
from svcsim.meta.types import GroupVersion, Object

_Named = tuple[str, str, str]
"""A kind: its group, its version, its name."""
_Bodies = dict[tuple[str, str], bytes]
"""OpenAPI documents by the groups and versions they describe."""


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
        param = spec.get("paramKind")
        named = await self._kinds(spec)
        params = None if param is None else (*GroupVersion.parse(param.get("apiVersion") or ""), param.get("kind") or "")
        bodies = {of: await self._document(of) for of in dict.fromkeys(one[:2] for one in (*named, *((params,) if params else ())))}
        size_bytes = sum(map(len, bodies.values()))
        warnings = await aside(max(size_bytes, limits.ASIDE_BYTES + 1), _checked, spec, named, params, bodies, self._prefix)
        checked = {"expressionWarnings": warnings} if warnings else {}
        await self._api.update({**policy, "status": {**status, "observedGeneration": generation, "typeChecking": checked}}, "status")

    async def _kinds(self, spec: Object) -> list[_Named]:
        """The kinds that a policy names, and not just any; no more of them than are looked at."""
        found: dict[_Named, None] = {}
        served: dict[str, list[ApiResource]] = {}
        for group, version, plural in islice(_resources(spec), limits.POLICY_TYPE_CHECKED_RESOURCES):
            api_version = f"{group}/{version}".lstrip("/")
            if api_version not in served:
                served[api_version] = await self._served(api_version)
            found.update(((group, version, one.kind), None) for one in served[api_version] if one.plural == plural)
            if len(found) >= limits.POLICY_TYPE_CHECKED_KINDS:
                break
        return sorted(list(found)[: limits.POLICY_TYPE_CHECKED_KINDS])

    async def _served(self, api_version: str) -> list[ApiResource]:
        try:
            return read_resources(await self._client.get_json(group_path(api_version)))
        except StatusError as error:
            if error.code != 404:
                raise
            return []

    async def _document(self, of: tuple[str, str]) -> bytes:
        group, version = of
        try:
            return await self._client.get_body("/openapi/v3" + group_path(f"{group}/{version}".lstrip("/")))
        except StatusError as error:
            if error.code != 404:
                raise
            return b"{}"


def _resources(spec: Object) -> Iterator[_Named]:
    """Group, version and plural of each resource that is named; subresources and what means all are left out."""
    for rule in (spec.get("matchConstraints") or {}).get("resourceRules") or ():
        named = (rule.get(field) or () for field in ("apiGroups", "apiVersions", "resources"))
        yield from ((group, version, plural) for group, version, plural in product(*named) if not set(group + version + plural) & set("*/"))


def _checked(spec: Object, named: list[_Named], params: _Named | None, bodies: _Bodies, prefix: str) -> list[Object]:
    # These load the CEL library, which most clusters never need.
    from svcsim.schema.cel.openapi_types import Document  # noqa: PLC0415
    from svcsim.schema.cel.policy_types import DescribedKind, expression_warnings  # noqa: PLC0415

    documents = {of: Document(decode_json(body), prefix) for of, body in bodies.items()}
    kinds = [DescribedKind(*one, documents[one[:2]]) for one in named]
    return expression_warnings(spec, kinds, None if params is None else DescribedKind(*params, documents[params[:2]]))
