"""get and list of objects that are worked out and never stored: as of now, whatever revision is asked for."""

from svcsim.meta.http import Response
from svcsim.server.requests.call import Call, Verb
from svcsim.server.verbs.answers import collection_response, record_response, shape_of
from svcsim.server.verbs.read_options import list_options


async def get(call: Call) -> Response:
    """One object."""
    return await record_response(call, shape_of(call), await call.services.registry.worked_out(call.target))


async def list_(call: Call) -> Response:
    """All there are. A list that stands for no revision names none."""
    shape = shape_of(call)
    options = await list_options(call.info.query, call.services.dialect.group("meta"))
    return await collection_response(call, shape, {}, await call.services.registry.all_worked_out(call.target, options))


WORKED_OUT_VERBS: dict[str, Verb] = {"get": get, "list": list_}
