"""Errors in the form the client would rather have: what the HTTP front and the pipeline answer when no verb does."""

from svcsim.meta.codec import encode_yaml
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.server.content.json_form import json_body, wants_pretty
from svcsim.server.content.negotiate import JSON_TYPE, YAML_TYPE, YAML_TYPES, accept_clauses
from svcsim.server.content.protobuf import encode_status


def error_response(error: StatusError, request: Request, protobuf_type: str = "") -> Response:
    """A failure as its Status object: in JSON, unless the client would rather have another form."""
    status = error.status()
    known = (JSON_TYPE, *YAML_TYPES, protobuf_type)
    accepted = (clause.media_type for clause in accept_clauses(request.headers.get("accept", "")))
    preferred = next((media_type for media_type in accepted if media_type in known), JSON_TYPE)
    if preferred in YAML_TYPES:
        return Response(error.code, encode_yaml(status), YAML_TYPE, dict(error.headers))
    if preferred != JSON_TYPE:
        return Response(error.code, encode_status(status), protobuf_type, dict(error.headers))
    return Response(error.code, json_body(status, pretty=wants_pretty(request)), headers=dict(error.headers))
