"""The objects that bring a policy its parameters: of any kind that the cluster serves."""

from dataclasses import dataclass

from svcsim.admission.policies.param_cache import ParamCache
from svcsim.admission.versions import Versions
from svcsim.meta.codec import decode_json
from svcsim.meta.types import GroupVersion, Key, Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.conversion import convert
from svcsim.registry.resource import Resource
from svcsim.storage.contract import Store


class ParamsError(Exception):
    """There are no parameters, and there should be; the text says why."""


@dataclass(frozen=True, slots=True)
class ParamReader:
    """Reads them as they are stored, when a request wants them."""

    store: Store
    cache: ParamCache
    versions: Versions

    def find(self, kind: Object | None) -> Resource | None:
        """The resource of a policy's parameters; None if it has none. Raises `ParamsError`."""
        if kind is None:
            return None
        group_version, name = GroupVersion.parse(kind.get("apiVersion") or ""), kind.get("kind") or ""
        resource = self.versions.scheme.find_kind(group_version, name)
        if resource is None:
            group, version = group_version
            raise ParamsError(f"failed to find resource referenced by paramKind: '{group}/{version}, Kind={name}'")
        return resource

    async def read(self, resource: Resource | None, ref: Object | None, request: AdmissionRequest) -> list[Object | None]:
        """The objects that a binding refers to, each of which the policy is asked about; [None] where it has no parameters.

        Raises `ParamsError`.
        """
        if resource is None or ref is None:
            return [None]
        namespace = self._namespace(resource, ref, request)
        found = await self._found(resource, namespace, ref, request)
        if not found and ref.get("parameterNotFoundAction") == "Deny":
            raise ParamsError("no params found for policy binding with `Deny` parameterNotFoundAction")
        return list(found)

    def _namespace(self, resource: Resource, ref: Object, request: AdmissionRequest) -> str:
        if not resource.namespaced:
            if ref.get("namespace"):
                raise ParamsError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
            return ""
        namespace = ref.get("namespace") or request.namespace
        if not namespace:
            raise ParamsError("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
        return str(namespace)

    async def _found(self, resource: Resource, namespace: str, ref: Object, request: AdmissionRequest) -> list[Object]:
        stored = resource.storage_version
        if name := ref.get("name"):
            record = self.store.latest(Key(stored.store_name, namespace, name))
            bodies = [] if record is None else [record.body]
            return await convert([decode_json(body) for body in bodies], stored, resource, self.versions.context(), sum(map(len, bodies)))
        candidates = await self.cache.of(stored.store_name, namespace, request)
        objects = await candidates.selected(ref.get("selector") or {})
        return await convert(objects, stored, resource, self.versions.context(), candidates.size_bytes)
