"""OpenAPI documents: the kinds' schemas, and the paths on which they are served.

Version 2 is one document for everything, version 3 one for each version of a group. Schemas come from `svcsim.schema.openapi`; the paths
follow from a kind's names, scope, verbs and subresources, as routing does.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from svcsim.clock import turn
from svcsim.dialect import Dialect
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.kind import Subresource
from svcsim.registry.scheme import Resource
from svcsim.schema.common import DELETE_OPTIONS, STATUS, WATCH_EVENT, list_struct, object_struct
from svcsim.schema.openapi import Schemas
from svcsim.schema.type_names import TypeNames
from svcsim.server.openapi.names import camel, group_words, package_of
from svcsim.server.openapi.parameters import LISTING, READING, WRITING, Parameter, path_parameters
from svcsim.server.plain.version import version_info
from svcsim.server.verbs.patch import PATCH_TYPES, STRATEGIC

_JSON = "application/json"
_METHODS = {
    "get": "get",
    "list": "get",
    "watch": "get",
    "watchlist": "get",
    "create": "post",
    "update": "put",
    "patch": "patch",
    "delete": "delete",
    "deletecollection": "delete",
    "connect get": "get",
    "connect create": "post",
    "connect update": "put",
    "connect patch": "patch",
    "connect delete": "delete",
}
_ACTIONS = {"create": "post", "update": "put"} | {verb: "connect" for verb in _METHODS if verb.startswith("connect ")}
_CALLS = {
    "get": "read{version}{name}",
    "list": "list{version}{name}",
    "watch": "watch{version}{name}",
    "watchlist": "watch{version}{name}",
    "create": "create{version}{name}",
    "update": "replace{version}{name}",
    "patch": "patch{version}{name}",
    "delete": "delete{version}{name}",
    "deletecollection": "delete{version}Collection{name}",
    "connect get": "connect{version}Get{name}",
    "connect create": "connect{version}Post{name}",
    "connect update": "connect{version}Put{name}",
    "connect patch": "connect{version}Patch{name}",
    "connect delete": "connect{version}Delete{name}",
}
"""What clients made from the document call an operation."""
_OLDER = {
    "watch": "deprecated: list with the parameter watch and a fieldSelector that names the object",
    "watchlist": "deprecated: list with the parameter watch",
}
"""What to use instead of an operation that older clients know. All its parameters stand beside it: the path has no other."""
_AUTHENTICATION = {"BearerToken": {"description": "Bearer token authentication", "type": "apiKey", "name": "authorization", "in": "header"}}
"""How clients say who they are, as far as a document can say it."""
_OK = {"200": "OK"}
_CREATED, _ACCEPTED = {"201": "Created"}, {"202": "Accepted"}
_ANSWERS = {
    "create": _OK | _CREATED | _ACCEPTED,
    "update": _OK | _CREATED,
    "patch": _OK | _CREATED,
    "delete": _OK | _ACCEPTED,
}
_PARAMETERS = {"list": LISTING, "deletecollection": LISTING, "get": READING}


class ApiOperation(NamedTuple):
    """A verb on a path. ``sent`` and ``answered`` are names of schemas, and may be empty."""

    name: str
    """Of what the path is about, as clients made from the document call it: ``NamespacedPodStatus``."""
    verb: str
    kind: str
    group_version: GroupVersion
    sent: str
    answered: str
    parameters: tuple[Parameter, ...]
    custom: bool = False
    """Whether it takes an object without a protobuf form."""


class OpenApiDocument:
    """One OpenAPI document in the making."""

    def __init__(self, dialect: Dialect, version: Literal[2, 3], names: TypeNames) -> None:
        self._dialect = dialect
        self._version = version
        self._schemas = Schemas(version, dialect.extension_prefix, names)
        self._status = self._schemas.add(STATUS, names.shared_package)
        self._delete_options = self._schemas.add(DELETE_OPTIONS, names.shared_package)
        self._shared_package = names.shared_package
        self._paths: dict[str, Object] = {}

    async def add(self, resources: Iterable[Resource]) -> None:
        """Take in resource types with all their paths. Others have their turn between two of them."""
        for resource in resources:
            self._add_resource(resource)
            await turn()

    def finished(self) -> Object:
        info = {"title": self._dialect.name, "version": str(version_info()["gitVersion"])}
        paths = dict(sorted(self._paths.items()))
        schemas = dict(sorted(self._schemas.by_name.items()))
        if self._version == 2:
            document = {"swagger": "2.0", "info": info, "paths": paths, "definitions": schemas, "securityDefinitions": _AUTHENTICATION}
        else:
            components = {"schemas": schemas, "securitySchemes": _AUTHENTICATION}
            document = {"openapi": "3.0.0", "info": info, "paths": paths, "components": components}
        return {**document, "security": [{scheme: [] for scheme in _AUTHENTICATION}]}

    def _add_resource(self, resource: Resource) -> None:
        kind, group_version = resource.kind, resource.group_version
        package = package_of(self._dialect, kind.group)
        one = self._schemas.add(object_struct(kind.schema), package, self._identity(group_version, kind.name))
        many = self._schemas.add(list_struct(kind.schema), package, self._identity(group_version, f"{kind.name}List"))
        root = _root(group_version)
        collection = f"{root}/namespaces/{{namespace}}/{kind.plural}" if kind.namespaced else f"{root}/{kind.plural}"
        item = f"{collection}/{{name}}"
        name = f"Namespaced{kind.name}" if kind.namespaced else kind.name
        if kind.namespaced and "list" in kind.verbs:
            everywhere = ApiOperation(f"{kind.name}ForAllNamespaces", "list", kind.name, group_version, "", many, LISTING)
            self._add_path(f"{root}/{kind.plural}", group_version, [everywhere])
        of_collection = {"list": ("", many), "create": (one, one), "deletecollection": (self._delete_options, self._status)}
        of_object = {"get": ("", one), "update": (one, one), "patch": (one, one), "delete": (self._delete_options, self._status)}
        for path, verbs in ((collection, of_collection), (item, of_object)):
            found = [
                ApiOperation(name, verb, kind.name, group_version, *names, _PARAMETERS.get(verb, WRITING), kind.custom)
                for verb, names in verbs.items()
                if verb in kind.verbs
            ]
            self._add_path(path, group_version, found)
        if "watch" in kind.verbs:
            self._add_watches(resource, item.removeprefix(root), name)
        for subresource in kind.subresources:
            self._add_subresource(f"{item}/{subresource.name}", name + camel(subresource.name), resource, subresource, one)

    def _add_watches(self, resource: Resource, item: str, name: str) -> None:
        """The older way of asking for a watch: a path of its own for each collection and each object."""
        kind, group_version = resource.kind, resource.group_version
        event = self._schemas.add(WATCH_EVENT, self._shared_package)
        watched = [
            (item.removesuffix("/{name}"), "watchlist", f"{name}List"),
            (item, "watch", name),
        ]
        if kind.namespaced:
            watched.append((f"/{kind.plural}", "watchlist", f"{kind.name}ListForAllNamespaces"))
        for path, verb, called in watched:
            operation = ApiOperation(called, verb, kind.name, group_version, "", event, ())
            self._add_path(f"{_root(group_version)}/watch{path}", group_version, [operation], LISTING)

    def _add_subresource(self, path: str, name: str, resource: Resource, subresource: Subresource, one: str) -> None:
        group, kind, schema = subresource.group or resource.kind.group, subresource.kind or resource.name, one
        group_version = GroupVersion(group.name(self._dialect), group.version)
        if subresource.body is not None:
            package = package_of(self._dialect, group)
            schema = self._schemas.add(object_struct(subresource.body), package, self._identity(group_version, kind))
        custom = resource.kind.custom and subresource.body is None
        if subresource.handler:
            options = tuple(Parameter(option.name, option.type, option.doc) for option in subresource.options)
            connects = "connect " if subresource.handler == "connect" else ""
            operations = [ApiOperation(name, connects + verb, kind, group_version, "", "", options) for verb in subresource.verbs]
        else:
            operations = [
                ApiOperation(
                    name, verb, kind, group_version, "" if verb == "get" else schema, schema, _PARAMETERS.get(verb, WRITING), custom
                )
                for verb in subresource.verbs
            ]
        self._add_path(path, resource.group_version, operations)
        if subresource.below:
            below = [operation._replace(name=f"{name}With{camel(subresource.below)}") for operation in operations]
            self._add_path(f"{path}/{{{subresource.below}}}", resource.group_version, below)

    def _identity(self, group_version: GroupVersion, kind: str) -> Object:
        return {"group-version-kind": [{"group": group_version.group, "kind": kind, "version": group_version.version}]}

    def _add_path(self, path: str, served_by: GroupVersion, operations: list[ApiOperation], parameters: tuple[Parameter, ...] = ()) -> None:
        """``parameters`` are those of the whole path, whatever is done there."""
        item: Object = {_METHODS[operation.verb]: self._operation(served_by, operation) for operation in operations}
        if item:
            item["parameters"] = path_parameters(path, self._version) + [parameter.described(self._version) for parameter in parameters]
            self._paths[path] = item

    def _operation(self, served_by: GroupVersion, operation: ApiOperation) -> Object:
        group_version = operation.group_version
        prefix = self._dialect.extension_prefix
        parameters = [parameter.described(self._version) for parameter in operation.parameters]
        words = group_words(self._dialect, served_by.group)
        described: Object = {
            "description": "; ".join(filter(None, (f"{operation.verb} {operation.kind}", _OLDER.get(operation.verb)))),
            "tags": [f"{words[:1].lower()}{words[1:]}_{served_by.version}"],
            "operationId": _CALLS[operation.verb].format(version=words + camel(served_by.version), name=operation.name),
            f"{prefix}action": _ACTIONS.get(operation.verb, operation.verb),
            f"{prefix}group-version-kind": {"group": group_version.group, "kind": operation.kind, "version": group_version.version},
            "parameters": parameters,
        }
        if operation.sent:
            self._add_body(described, operation)
        described["responses"] = {
            code: self._response(meaning, operation.answered) for code, meaning in _ANSWERS.get(operation.verb, _OK).items()
        }
        described["responses"]["401"] = {"description": "Unauthorized"}
        if self._version == 2:
            described["produces"] = self._produced(operation.verb)
            described["schemes"] = ["https"]
        return described

    def _add_body(self, described: Object, operation: ApiOperation) -> None:
        reference = self._schemas.reference(operation.sent)
        media = list(PATCH_TYPES) if operation.verb == "patch" else [_JSON, "application/yaml", self._dialect.protobuf_media_type]
        if operation.custom:
            media = [one for one in media if one not in (STRATEGIC, self._dialect.protobuf_media_type)]
        required = operation.verb in ("create", "update", "patch")
        if self._version == 2:
            described["consumes"] = media
            schema = {"type": "object"} if operation.verb == "patch" else reference
            described["parameters"].append({"name": "body", "in": "body", "required": required, "schema": schema})
        else:
            schema = {} if operation.verb == "patch" else reference
            described["requestBody"] = {"required": required, "content": {one: {"schema": schema} for one in media}}

    def _produced(self, verb: str) -> list[str]:
        whole = [_JSON, "application/yaml", self._dialect.protobuf_media_type]
        return [*whole, f"{_JSON};stream=watch", f"{self._dialect.protobuf_media_type};stream=watch"] if verb in _OLDER else whole

    def _response(self, meaning: str, answered: str) -> Object:
        schema = self._schemas.reference(answered) if answered else {"type": "string"}
        if self._version == 2:
            return {"description": meaning, "schema": schema}
        return {"description": meaning, "content": {_JSON if answered else "*/*": {"schema": schema}}}


def _root(group_version: GroupVersion) -> str:
    """Below which path a version of a group is served."""
    return f"/apis/{group_version}" if group_version.group else f"/api/{group_version.version}"


async def document_of(dialect: Dialect, version: Literal[2, 3], resources: Iterable[Resource], names: TypeNames) -> Object:
    """The document of these resource types: in version 2 of all that are served, in version 3 of one version of a group."""
    document = OpenApiDocument(dialect, version, names)
    await document.add(resources)
    return document.finished()
