"""A dry run that answers with its way through admission, beside the result: ``?dryRun=All&svcsimTrace=admission``.

The client is authenticated, authorized and counted like any other. Beside the result of the dry run it learns which plugins, webhooks and
policies are called for such a request, and what each of them does with the object. A refusal is part of the answer, which is a success
then.
"""

from typing import TYPE_CHECKING

from svcsim import limits
from svcsim.meta.aside import aside
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.http import Response
from svcsim.registry.admission_trace import AdmissionTrace
from svcsim.server.content.json_form import json_body, wants_pretty
from svcsim.server.content.negotiate import JSON_TYPE
from svcsim.server.requests.call import Call, Verb

if TYPE_CHECKING:
    from svcsim.meta.types import Object

PARAMETER = "svcsimTrace"
_ADMISSION = "admission"
_VERBS = ("create", "update", "patch", "delete")


async def traced(verb: Verb, call: Call) -> Response:
    """What a verb would answer, and the way there. Raises 400 where something would be written, or there is no such way."""
    query = call.info.query
    if query[PARAMETER] != [_ADMISSION]:
        raise bad_request(f"{PARAMETER}: there is {_ADMISSION}, and nothing else")
    if call.info.verb not in _VERBS:
        raise bad_request(f"{PARAMETER}: no way through admission is told of {call.info.verb}; it is of {', '.join(_VERBS)}")
    if query.get("dryRun") != ["All"] or (call.info.verb == "delete" and call.request.body):
        raise bad_request(f"{PARAMETER} is for dry runs: say dryRun=All beside it, and send options of a deletion in the query")
    trace = call.trace = AdmissionTrace()
    asked = {"verb": call.info.verb, "path": call.info.path, "user": call.user.name}
    told: Object = {"kind": "AdmissionTrace", "apiVersion": "svcsim/v1", "request": asked}
    try:
        response = await verb(call)
    except StatusError as error:
        told["refusal"] = error.status()
    else:
        if response.content_type == JSON_TYPE:
            told["object"] = await aside(len(response.body), decode_json, response.body)
    told.update(trace.as_json())
    shown = trace.warnings()
    call.warnings[:] = [text for text in call.warnings if text not in shown]
    size_bytes = limits.ADMISSION_TRACE_BYTES - trace.room_bytes + len(call.request.body)
    return Response(200, await aside(size_bytes, lambda: json_body(told, pretty=wants_pretty(call.request, query))))
