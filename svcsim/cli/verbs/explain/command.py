"""``explain``: finds the type, its document and its schema, and has it printed in one of two styles."""

import re
from typing import TYPE_CHECKING

from svcsim.cli.failure import CommandError, SeveralErrors
from svcsim.cli.flags import Flag, switch
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.verbs.explain import older, plain
from svcsim.cli.verbs.explain.document import Document
from svcsim.meta.errors import StatusError
from svcsim.meta.types import GroupVersion
from svcsim.printing.tabs import escape

if TYPE_CHECKING:
    from svcsim.cli.shared.discovery import Discovery, Resource
    from svcsim.cli.shared.session import Session

_NO_TYPE = 'You must specify the type of resource to explain. Use "svcsim api-resources" for a complete list of supported resources.'
_NO_PATH = re.compile(r"^\.|\.\.|\s|\[(?!')")
"""What stands in no path of fields: lists are looked through, so that they need no index."""
PLAIN, OLDER = "plaintext", "plaintext-openapiv2"


def run(call: Call) -> None:
    """Explain a type or one of its fields."""
    options, session = call.options, call.session
    if not call.args:
        raise CommandError(_NO_TYPE)
    if len(call.args) > 1:
        raise CommandError("We accept only this format: explain RESOURCE")
    style = options.text("output")
    if style not in (PLAIN, OLDER):
        raise CommandError(f"unrecognized format: {style}")
    resource, path = _resource_and_path(session.discovery, call.args[0])
    group_version = GroupVersion(resource.group, resource.version)
    if asked := options.text("api-version"):
        group_version = GroupVersion.parse(asked)
    recursive = options.on("recursive")
    if style == OLDER:
        document = Document(session.get("/openapi/v2"), session.dialect)
        explained = older.explain(document, group_version, resource.kind, path, recursive=recursive)
    else:
        document = _group_document(session, resource, group_version)
        explained = plain.explain(document, group_version, resource.kind, path, recursive=recursive)
    for text in explained:
        session.out.write(escape(text))


def _resource_and_path(discovery: "Discovery", argument: str) -> tuple["Resource", list[str]]:
    """``pods.spec.containers``, or ``deployments.apps.spec``: the longest beginning that names a type with its group, or one word."""
    argument = argument.removesuffix(".")
    if not argument:
        raise CommandError("a resource must be present, got: /, Resource=")
    if _NO_PATH.search(argument):
        raise CommandError("invalid jsonpath syntax, first node must be field node")
    word, *rest = argument.split(".")
    for resource in discovery.resources:
        named = resource.group and argument.startswith(resource.full_name) and argument[len(resource.full_name) :][:1] in ("", ".")
        if named and resource.preferred:
            path = argument[len(resource.full_name) + 1 :]
            return resource, path.split(".") if path else []
    try:
        return discovery.find(word), rest
    except CommandError as error:
        raise SeveralErrors([error]) from None  # told without the word error, as kubectl does here


def _group_document(session: "Session", resource: "Resource", group_version: GroupVersion) -> Document:
    path = f"apis/{group_version}" if group_version.group else f"api/{group_version.version}"
    named = f"{group_version.group}/{group_version.version}, Resource={resource.plural}"
    try:
        document = Document(session.get(f"/openapi/v3/{path}"), session.dialect)
    except StatusError as error:
        if error.code != 404:
            raise
        raise CommandError(f'couldn\'t find resource for "{named}"') from None
    if not document.serves(f"/{path}", resource.plural):
        raise CommandError(f"GVR ({named}) not found in OpenAPI schema")
    return document


EXPLAIN = Command(
    "explain",
    "explain TYPE [--recursive=FALSE|TRUE] [--api-version=api-version-group] [-o|--output=plaintext|plaintext-openapiv2]",
    "Describe the fields of a type.\n\nFields are named by their path: TYPE.field.field. The descriptions come from the server.",
    flags=(
        switch("recursive", "Print the names of all fields at all levels, without their descriptions."),
        Flag("api-version", doc="The version of the type to explain (group/version).", metavar="version"),
        Flag("output", default=PLAIN, doc="The output format: plaintext or plaintext-openapiv2.", short="o", choices=(PLAIN, OLDER)),
    ),
    run=run,
    completes="field",
)
