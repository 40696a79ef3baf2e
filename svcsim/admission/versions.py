"""Objects of a request in the version of their resource that a webhook or policy wants to see."""

from collections.abc import Callable
from dataclasses import dataclass

from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.conversion import convert
from svcsim.registry.kind import Context
from svcsim.registry.options import Target
from svcsim.registry.resource import Resource
from svcsim.registry.scheme import Scheme


@dataclass(frozen=True, slots=True)
class Versions:
    """What converting takes."""

    scheme: Scheme
    context: Callable[[], Context]

    async def convert(self, request: AdmissionRequest, obj: Object, source: Resource, to: Resource) -> Object:
        """An object of a request in another version; what a subresource has of its own is the same in all of them."""
        if source is to or (request.target.window is not None and request.target.window.compiled is not None):
            return obj
        return (await convert([obj], source, to, self.context(), request.size_bytes))[0]

    async def shown(self, request: AdmissionRequest, to: Resource) -> tuple[Object | None, Object | None]:
        """The object as it is to be and as it is, in a version."""
        obj, old = request.obj, request.old
        if obj is not None:
            obj = await self.convert(request, obj, request.resource, to)
        if old is not None:
            old = await self.convert(request, old, request.resource, to)
        return obj, old


def in_version(target: Target, to: Resource) -> Target:
    """A target's object, or its subresource, in another version."""
    window = target.window and to.windows[target.window.name]
    return target._replace(resource=to, window=window)
