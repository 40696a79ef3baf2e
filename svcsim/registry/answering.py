"""Creates that store no object of their own: kinds that are answered (reviews), and subresources that are created.

decode → default → admission: mutate → validation → admission: validate → and then what the kind or the subresource declares: an answer is
worked out, a body is brought into its object (a binding), or the object is deleted (an eviction).
"""

from dataclasses import dataclass

from svcsim.meta import errors
from svcsim.meta.aside import aside, aside_if_long
from svcsim.meta.types import Object
from svcsim.registry import write_steps
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.core import Core, key_of
from svcsim.registry.deletion import Deleter
from svcsim.registry.kind import Answers
from svcsim.registry.mutating_admission import mutated
from svcsim.registry.older_forms import read_shown
from svcsim.registry.options import Caller, Target, WriteOptions
from svcsim.registry.resource import Window
from svcsim.registry.writes import Writer
from svcsim.storage.contract import Record


@dataclass(slots=True)
class Answerer:
    core: Core
    writer: Writer
    deleter: Deleter
    answers: Answers

    async def answer(self, target: Target, sent: Object, caller: Caller, options: WriteOptions) -> Object:
        """What a kind that is never stored makes of an object. Raises 405 for any other kind."""
        resource = target.resource
        answer = resource.kind.answer or self.answers.kinds.get(resource.name)
        if not resource.kind.answered or answer is None:
            raise errors.method_not_supported(resource.group_resource, "create")
        context = self.core.context(caller)
        obj = await aside(options.size_bytes, write_steps.decode, resource, sent, caller, options)
        obj.pop("status", None)  # the status is the answer's; clients send one because their types have it
        if resource.namespaced:
            obj["metadata"]["namespace"] = target.namespace
        await aside(options.size_bytes, write_steps.fill_defaults, resource, obj, context)
        request = AdmissionRequest("CREATE", target, obj, None, caller, "CreateOptions", options.given, size_bytes=options.size_bytes)
        concerned = self.core.admission.concerned("CREATE", target)
        obj = await mutated(concerned, request, context)
        await aside_if_long(request.size_bytes, write_steps.validate_answered, resource, obj, context)
        await concerned.validate(request)
        return await answer(obj, context)

    async def act(
        self, target: Target, window: Window, sent: Object, caller: Caller, options: WriteOptions, asked: Target
    ) -> Object | Record:
        """Create a subresource: the answer it works out, or the record of the object that was written or deleted.

        ``asked`` is what the request is about, which may only stand for the subresource.
        """
        declared = window.declared
        context = self.core.context(caller)
        body = sent
        if not options.read:
            body = await aside(options.size_bytes, write_steps.decode_body, target, sent, caller, options, context)
        if target.namespace and not body["metadata"].get("namespace"):
            body["metadata"]["namespace"] = target.namespace
        request = AdmissionRequest("CREATE", asked, body, None, caller, "CreateOptions", options.given, size_bytes=options.size_bytes)
        concerned = self.core.admission.concerned("CREATE", asked)
        body = await mutated(concerned, request, context)
        await aside_if_long(request.size_bytes, write_steps.validate_body, target, window, body)
        await concerned.validate(request)
        path = f"{target.resource.plural}/{declared.name}"
        if declared.deletes:
            return (await self.deleter.evict(target, body, caller, self.answers.permits.get(path))).record
        answer = declared.answer or self.answers.subresources.get(path)
        if answer is None:
            return await self.writer.merge(target, body, caller, options)
        current = self.core.latest(key_of(target))
        await self.core.store.settled()
        if current is None:
            raise errors.not_found(target.resource.group_resource, target.name)
        return await answer(await read_shown(self.core, target.resource, current), body, context)

    async def connect(self, target: Target, options: Object, caller: Caller) -> Object:
        """The options of a connection (exec, attach, port-forward) as admission leaves them. Raises `StatusError` if it may not be."""
        request = AdmissionRequest("CONNECT", target, options, None, caller, None, {})
        concerned = self.core.admission.concerned("CONNECT", target)
        options = await mutated(concerned, request, self.core.context(caller))
        await concerned.validate(request)
        return options
