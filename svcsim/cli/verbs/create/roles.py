"""``create role`` and ``create clusterrole``: what may be done."""

from collections.abc import Iterator

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, UsageError, words
from svcsim.cli.shared.command import Call
from svcsim.cli.shared.discovery import lookup
from svcsim.cli.verbs.create.from_flags import creator, new
from svcsim.meta.types import Object

_VERBS = (
    *("*", "get", "delete", "list", "create", "update", "patch", "watch", "proxy", "deletecollection"),
    *("use", "bind", "escalate", "impersonate"),
)
_PATH_VERBS = ("*", "get", "post", "put", "delete", "patch", "head", "options")
_ALL = "*"
_ROLES = (("{rbac}", "roles"), ("{rbac}", "clusterroles"))
_ONLY_ON: dict[str, tuple[tuple[str, str], ...]] = {
    "use": (("policy", "podsecuritypolicies"), ("extensions", "podsecuritypolicies")),
    "bind": _ROLES,
    "escalate": _ROLES,
    "impersonate": (("", "users"), ("", "serviceaccounts"), ("", "groups"), ("{authentication}", "userextras")),
}
"""Verbs that mean something on some resources only, by group and name; some of these stand in rules alone."""


def _role(call: Call, name: str) -> Object:
    verbs = _verbs(call)
    if not call.options.items("resource"):
        raise CommandError("at least one resource must be specified")
    return {**_head(call, "Role", name), "rules": list(_resource_rules(call, verbs))}


def _cluster_role(call: Call, name: str) -> Object:
    options = call.options
    head = _head(call, "ClusterRole", name)
    if options.items("aggregation-rule"):
        if any(options.items(flag) for flag in ("verb", "resource", "resource-name", "non-resource-url")):
            raise CommandError("aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames")
        return {**head, "rules": None, "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": _labels(call)}]}}
    verbs, paths = _verbs(call), options.items("non-resource-url")
    if not options.items("resource") and not paths:
        raise CommandError("one of resource or nonResourceURL must be specified")
    rules = list(_resource_rules(call, verbs)) if options.items("resource") else []
    if paths:
        _check_paths(verbs, paths)
        rules.append({"verbs": verbs, "nonResourceURLs": paths})
    return {**head, "rules": rules}


def _head(call: Call, kind: str, name: str) -> Object:
    return new(f"{call.session.dialect.group('rbac.authorization')}/v1", kind, name)


def _verbs(call: Call) -> list[str]:
    verbs = list(dict.fromkeys(call.options.items("verb")))
    if not verbs:
        raise CommandError("at least one verb must be specified")
    return [_ALL] if _ALL in verbs else verbs


def _labels(call: Call) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in call.options.items("aggregation-rule"):
        name, equals, value = text.partition("=")
        if not equals:
            wrong = f'invalid argument "{text}" for "--aggregation-rule" flag: malformed pair, expect string=string'
            raise UsageError(f"Error: {wrong}\nSee 'svcsim create clusterrole --help' for usage.")
        found[name] = value
    return found


def _check_paths(verbs: list[str], paths: list[str]) -> None:
    for verb in verbs:
        if verb not in _PATH_VERBS:
            raise CommandError(f"invalid verb: '{verb}' for nonResourceURL")
    for path in paths:
        if path == _ALL:
            continue
        if not path.startswith("/"):
            raise CommandError("nonResourceURL should start with /")
        if _ALL in path[:-1]:
            raise CommandError("nonResourceURL only supports wildcard matches when '*' is at the end")


def _resource_rules(call: Call, verbs: list[str]) -> Iterator[Object]:
    """A rule for each group that the resources are of, by the groups' names."""
    by_group: dict[str, dict[str, None]] = {}
    for verb in verbs:
        if verb not in _VERBS:
            call.session.warn(f"'{verb}' is not a standard resource verb")
    for text in call.options.items("resource"):
        group, resource = _resource(call, text, verbs)
        by_group.setdefault(group, {})[resource] = None
    names = list(dict.fromkeys(call.options.items("resource-name")))
    for group, resources in sorted(by_group.items()):
        rule: Object = {"verbs": verbs, "apiGroups": [group], "resources": list(resources)}
        yield {**rule, "resourceNames": names} if names else rule


def _resource(call: Call, text: str, verbs: list[str]) -> tuple[str, str]:
    """Group and name as rules have them, of ``deployments.apps/scale`` and the like."""
    kind, slash, below = text.partition("/")
    resource, dot, group = kind.partition(".")
    if not resource:
        raise CommandError("resource must be specified if apiGroup/subresource specified")
    if resource == _ALL:
        return group, f"{resource}{slash}{below}"
    found = lookup(call.session.discovery.resources, kind.lower())
    if found is not None and group not in ("", found.group):  # it names a version, which rules don't know
        found = None
    if found is not None:
        group, resource = found.group, found.plural
    special = [verb for verb in verbs if verb in _ONLY_ON]
    for verb in special:
        if (group, resource) not in _resources_of(call, verb):
            raise CommandError(f"can not perform '{verb}' on '{resource}' in group '{group}'")
    if found is None and not special:
        where = f' in group "{group}"' if dot else ""
        raise UsageError(f'the server doesn\'t have a resource type "{resource}"{where}')
    return group, f"{resource}/{below}" if below else resource


def _resources_of(call: Call, verb: str) -> list[tuple[str, str]]:
    dialect = call.session.dialect
    names = {"rbac": dialect.group("rbac.authorization"), "authentication": dialect.group("authentication")}
    return [(group.format(**names), resource) for group, resource in _ONLY_ON[verb]]


_FLAGS = (
    words("verb", "A verb that is allowed."),
    words("resource", "A resource it is allowed on: TYPE.GROUP/SUBRESOURCE.", metavar="type"),
    Flag("resource-name", "array", [], "The name of an object it is allowed on; without any, all are meant."),
)

ROLE = creator("role NAME --verb=VERB --resource=TYPE.GROUP/SUBRESOURCE [flags]", "Create a role of a namespace.", _FLAGS, _role)
CLUSTER_ROLE = creator(
    "clusterrole NAME --verb=VERB --resource=TYPE.GROUP [flags]",
    "Create a cluster-wide role.",
    (
        *_FLAGS,
        words("non-resource-url", "A path it is allowed on, such as /logs/*."),
        words("aggregation-rule", "The labels, as KEY=VALUE,…, of roles whose rules it gathers."),
    ),
    _cluster_role,
    namespaced=False,
)
