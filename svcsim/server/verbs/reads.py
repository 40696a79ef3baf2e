"""get, list and watch."""

from svcsim.meta.http import Response
from svcsim.registry.listings import WholeList
from svcsim.server.content.lists import streamed_response
from svcsim.server.requests.call import Call
from svcsim.server.requests.query import text
from svcsim.server.verbs.answers import is_plain, list_response, record_response, shape_of
from svcsim.server.verbs.read_options import list_options, watch_options
from svcsim.server.verbs.watching import watch_response


async def get(call: Call) -> Response:
    """One object, or what a subresource shows of it."""
    shape = shape_of(call)
    query = call.info.query
    record = await call.services.registry.get(call.target, text(query, "resourceVersion") if query else "")
    return await record_response(call, shape, record)


async def list_(call: Call) -> Response:
    """A collection, or a page of it."""
    shape = shape_of(call)
    request, services, resource = call.request, call.services, call.target.resource
    plain = is_plain(call, shape)
    if plain and (page := services.pages.find(resource.store_name, request.path, request.query)) is not None:
        return page
    options = await list_options(call.info.query, services.dialect.group("meta"))
    read = services.registry.whole_list if plain else services.registry.list
    listing = await read(call.target, options)
    if isinstance(listing, WholeList):
        return streamed_response(resource, listing)
    response = await list_response(call, shape, listing)
    if plain and options.resource_version in ("", "0") and services.scheme.serves(resource):
        services.pages.keep(resource.store_name, request.path, request.query, listing.revision, response)
    return response


async def watch(call: Call) -> Response:
    """Changes of a collection or an object, as they happen."""
    shape = shape_of(call)
    options = await watch_options(call.info.query)
    if call.request.insider:  # its watch breaks off with the cluster alone, and needs nothing to go on from
        options = options._replace(pulses=False)
    watching = await call.services.registry.watch(call.target, options)
    if not call.request.insider:
        watching.when_ended(call.services.onlookers.watch(call.info))
    return watch_response(call, shape, watching)
