"""The paths on which one resource type is served, as OpenAPI documents describe them.

They follow from a kind's names, scope, verbs and subresources, as routing does. The types they speak of are described elsewhere
(`svcsim.schema.openapi`).
"""

from typing import NamedTuple

from svcsim.dialect import Dialect
from svcsim.meta.types import GroupVersion, Object
from svcsim.registry.kind import Subresource
from svcsim.registry.resource import Resource
from svcsim.schema.common import DELETE_OPTIONS, PATCH, STATUS, WATCH_EVENT, list_struct, object_struct
from svcsim.schema.openapi import Schemas
from svcsim.schema.types import Struct
from svcsim.server.openapi.discovery_paths import resource_types, tag
from svcsim.server.openapi.names import camel, group_words
from svcsim.server.openapi.parameters import DELETING, DELETING_MANY, LISTING, PATCHING, READING, WRITING, Parameter, path_parameters
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
    "connect head": "head",
    "connect options": "options",
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
    "connect head": "connect{version}Head{name}",
    "connect options": "connect{version}Options{name}",
}
"""What clients made from the document call an operation."""
_OLDER = {
    "watch": "deprecated: list with the parameter watch and a fieldSelector that names the object",
    "watchlist": "deprecated: list with the parameter watch",
}
"""What to use instead of an operation that older clients know. All its parameters stand beside it: the path has no other."""
_OK = {"200": "OK"}
_CREATED, _ACCEPTED = {"201": "Created"}, {"202": "Accepted"}
_ANSWERS = {
    "create": _OK | _CREATED | _ACCEPTED,
    "update": _OK | _CREATED,
    "patch": _OK | _CREATED,
    "delete": _OK | _ACCEPTED,
}
_PASSED_ON = ("head", "options")
"""What else is passed on to what stands behind an object; to authorization and discovery these are no verbs of their own."""
_PARAMETERS = {"list": LISTING, "get": READING, "patch": PATCHING, "delete": DELETING, "deletecollection": DELETING_MANY}


class ApiOperation(NamedTuple):
    """A verb on a path. ``sent`` and ``answered`` are names of schemas, and may be empty."""

    name: str
    """The name of the path's object in generated clients: ``NamespacedPodStatus``."""
    verb: str
    kind: str
    group_version: GroupVersion
    sent: str
    answered: str
    parameters: tuple[Parameter, ...]
    custom: bool = False
    """Whether it takes an object without a protobuf form."""


class ResourcePaths:
    """What a document says of one resource type, but for the types."""

    def __init__(self, dialect: Dialect, schemas: Schemas, resource: Resource) -> None:
        self._dialect = dialect
        self._schemas = schemas
        self._version = schemas.version
        self.by_path: dict[str, Object] = {}
        self.types: dict[str, None] = {}
        """The names of the types that the paths speak of."""
        self._status = self._type(STATUS)
        self._delete_options = self._type(DELETE_OPTIONS)
        self._add_resource(resource)

    def _type(self, struct: Struct) -> str:
        name = self._schemas.names.name(struct)
        self.types[name] = None
        return name

    def _sent(self, verb: str, whole: str) -> str:
        """The type of what a request holds whose answer is of type ``whole``."""
        if verb == "patch":
            return self._type(PATCH)
        return "" if verb == "get" else whole

    def _add_resource(self, resource: Resource) -> None:
        kind, group_version = resource.kind, resource.group_version
        one = self._type(object_struct(kind.schema))
        many = self._type(list_struct(kind.schema, kind.list_name)) if "list" in kind.verbs else ""
        root = _root(group_version)
        collection = f"{root}/namespaces/{{namespace}}/{kind.plural}" if kind.namespaced else f"{root}/{kind.plural}"
        item = f"{collection}/{{name}}"
        name = f"Namespaced{kind.name}" if kind.namespaced else kind.name
        discovery = resource_types(self._dialect, self._schemas, group_version)  # each of them describes it alike: documents have it once
        self.by_path[f"{root}/"] = discovery.item
        self.types.update(dict.fromkeys(discovery.types))
        if kind.namespaced and "list" in kind.verbs:
            everywhere = ApiOperation(f"{kind.name}ForAllNamespaces", "list", kind.name, group_version, "", many, LISTING)
            self._add_path(f"{root}/{kind.plural}", group_version, [everywhere])
        of_collection = {"list": ("", many), "create": (one, one), "deletecollection": (self._delete_options, self._status)}
        gone = one if kind.deletes_to_object else self._status
        patch = self._type(PATCH) if "patch" in kind.verbs else ""
        of_object = {"get": ("", one), "update": (one, one), "patch": (patch, one), "delete": (self._delete_options, gone)}
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
        event = self._type(WATCH_EVENT)
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
            schema = self._type(object_struct(subresource.body))
        custom = resource.kind.custom
        if subresource.handler:
            options = tuple(Parameter(option.name, option.type, option.doc) for option in subresource.options)
            connects = "connect " if subresource.handler == "connect" else ""
            verbs = (*subresource.verbs, *(_PASSED_ON if subresource.below else ()))
            operations = [ApiOperation(name, connects + verb, kind, group_version, "", "", options) for verb in verbs]
        else:
            operations = [
                ApiOperation(name, verb, kind, group_version, self._sent(verb, schema), schema, _PARAMETERS.get(verb, WRITING), custom)
                for verb in subresource.verbs
            ]
        self._add_path(path, resource.group_version, operations)
        if subresource.below:
            below = [operation._replace(name=f"{name}With{camel(subresource.below)}") for operation in operations]
            self._add_path(f"{path}/{{{subresource.below}}}", resource.group_version, below)

    def _add_path(self, path: str, served_by: GroupVersion, operations: list[ApiOperation], parameters: tuple[Parameter, ...] = ()) -> None:
        """``parameters`` are those of the whole path, whatever is done there."""
        item: Object = {_METHODS[operation.verb]: self._operation(served_by, operation) for operation in operations}
        if item:
            item["parameters"] = path_parameters(path, self._version) + [parameter.described(self._version) for parameter in parameters]
            self.by_path[path] = item

    def _operation(self, served_by: GroupVersion, operation: ApiOperation) -> Object:
        group_version = operation.group_version
        prefix = self._dialect.extension_prefix
        parameters = [parameter.described(self._version) for parameter in operation.parameters]
        words = group_words(self._dialect, served_by.group)
        described: Object = {
            "description": "; ".join(filter(None, (f"{operation.verb} {operation.kind}", _OLDER.get(operation.verb)))),
            "tags": [tag(words, served_by.version)],
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
        media = list(PATCH_TYPES) if operation.verb == "patch" else self._whole()
        if operation.custom:
            media = [one for one in media if one not in (STRATEGIC, self._dialect.protobuf_media_type)]
        required = operation.verb in ("create", "update", "patch")
        if self._version == 2:
            described["consumes"] = media
            described["parameters"].append({"name": "body", "in": "body", "required": required, "schema": reference})
        else:
            described["requestBody"] = {"required": required, "content": {one: {"schema": reference} for one in media}}

    def _whole(self) -> list[str]:
        return [_JSON, "application/yaml", self._dialect.protobuf_media_type]

    def _produced(self, verb: str) -> list[str]:
        whole = self._whole()
        return [*whole, f"{_JSON};stream=watch", f"{self._dialect.protobuf_media_type};stream=watch"] if verb in _OLDER else whole

    def _response(self, meaning: str, answered: str) -> Object:
        schema = self._schemas.reference(answered) if answered else {"type": "string"}
        if self._version == 2:
            return {"description": meaning, "schema": schema}
        return {"description": meaning, "content": {_JSON if answered else "*/*": {"schema": schema}}}


def _root(group_version: GroupVersion) -> str:
    """Below which path a version of a group is served."""
    return f"/apis/{group_version}" if group_version.group else f"/api/{group_version.version}"
