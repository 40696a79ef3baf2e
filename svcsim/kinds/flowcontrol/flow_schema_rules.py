"""What makes a FlowSchema right: subjects that are whole, rules that match something, and the fixed ones as they were."""

from collections.abc import Iterator
from typing import Final

from svcsim.kinds.flowcontrol.fixed import EXEMPT, FIXED_SCHEMAS
from svcsim.kinds.shared.checks import named
from svcsim.kinds.shared.words import FLOW_DISTINGUISHER, FLOW_SUBJECT_KIND
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required, unsupported
from svcsim.meta.names import dns_label, dns_subdomain
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

_MAX_PRECEDENCE: Final = 10000
_VERBS: Final = ("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch")
_SUBJECTS: Final = {"User": "user", "Group": "group", "ServiceAccount": "serviceAccount"}
_ALL: Final = "*"


def flow_schema_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    """All that is wrong with the spec of a FlowSchema."""
    name, spec = obj["metadata"].get("name") or "", obj.get("spec") or {}
    yield from _precedence_rules(name, spec.get("matchingPrecedence") or 0)
    method = spec.get("distinguisherMethod")
    if method is not None and method.get("type") not in FLOW_DISTINGUISHER.values:
        yield unsupported("spec.distinguisherMethod.type", method.get("type") or "", FLOW_DISTINGUISHER.values)
    level = (spec.get("priorityLevelConfiguration") or {}).get("name")
    path = "spec.priorityLevelConfiguration.name"
    yield from named(dns_subdomain)(level, path) if level else [required(path, "must reference a priority level")]
    for index, rule in enumerate(spec.get("rules") or ()):
        yield from _rule_rules(rule, f"spec.rules[{index}]")
    if name in FIXED_SCHEMAS and not same_json(spec, FIXED_SCHEMAS[name]):
        yield invalid_value("spec", spec, f"spec of '{name}' must equal the fixed value")


def _precedence_rules(name: str, precedence: int) -> Iterator[FieldError]:
    path = "spec.matchingPrecedence"
    if precedence <= 0:
        yield invalid_value(path, precedence, "must be a positive value")
    if precedence > _MAX_PRECEDENCE:
        yield invalid_value(path, precedence, f"must not be greater than {_MAX_PRECEDENCE}")
    if precedence == 1 and name != EXEMPT:
        yield invalid_value(path, precedence, f"only the schema named '{EXEMPT}' may have matchingPrecedence 1")


def _rule_rules(rule: Object, path: str) -> Iterator[FieldError]:
    for index, subject in enumerate(rule.get("subjects") or ()):
        yield from _subject_rules(subject, f"{path}.subjects[{index}]")
    yield from _at_least_one(rule, "subjects", path, "subjects must contain at least one value")
    if not rule.get("resourceRules") and not rule.get("nonResourceRules"):
        yield required(path, "at least one of resourceRules and nonResourceRules has to be non-empty")
    for index, one in enumerate(rule.get("resourceRules") or ()):
        yield from _resource_rules(one, f"{path}.resourceRules[{index}]")
    for index, one in enumerate(rule.get("nonResourceRules") or ()):
        yield from _path_rules(one, f"{path}.nonResourceRules[{index}]")


def _subject_rules(subject: Object, path: str) -> Iterator[FieldError]:
    kind = subject.get("kind") or ""
    if kind not in _SUBJECTS:
        yield unsupported(f"{path}.kind", kind, FLOW_SUBJECT_KIND.values)
        return
    field = _SUBJECTS[kind]
    if subject.get(field) is None:
        yield required(f"{path}.{field}", f"{field} is required when subject kind is '{kind}'")
    else:
        yield from _identity_rules(subject[field], kind, f"{path}.{field}")
    for other, its in _SUBJECTS.items():
        if other != kind and subject.get(its) is not None:
            yield forbidden_field(f"{path}.{its}", f"{its} is forbidden when subject kind is not '{other}'")


def _identity_rules(who: Object, kind: str, path: str) -> Iterator[FieldError]:
    name, account = who.get("name") or "", kind == "ServiceAccount"
    if not name:
        yield required(f"{path}.name")
    elif account and name != _ALL:
        yield from named(dns_subdomain)(name, f"{path}.name")
    if account and who.get("namespace"):
        yield from named(dns_label)(who["namespace"], f"{path}.namespace")
    elif account:
        yield required(f"{path}.namespace", "must specify namespace for service account")


def _resource_rules(rule: Object, path: str) -> Iterator[FieldError]:
    yield from _verb_rules(rule, path)
    for field, one, others in (("apiGroups", "api group", "api groups"), ("resources", "resource", "resources")):
        yield from _at_least_one(rule, field, path, f"resource rules must supply at least one {one}")
        yield from _alone(rule.get(field) or [], f"{path}.{field}", others)
    spaces, where = rule.get("namespaces") or [], f"{path}.namespaces"
    if not spaces and not rule.get("clusterScope"):
        yield required(where, "resource rules that are not cluster scoped must supply at least one namespace")
    elif _ALL in spaces:
        yield from _alone(spaces, where, "namespaces")
    else:
        for index, space in enumerate(spaces):
            for finding in dns_label(space):
                yield invalid_value(f"{where}[{index}]", space, f"each member of this list must be '*' or a DNS-1123 label; {finding}")


def _path_rules(rule: Object, path: str) -> Iterator[FieldError]:
    yield from _verb_rules(rule, path)
    yield from _at_least_one(rule, "nonResourceURLs", path, "nonResourceURLs must contain at least one value")
    paths, where = rule.get("nonResourceURLs") or [], f"{path}.nonResourceURLs"
    if _ALL in paths:
        yield from _alone(paths, where, "non-resource URLs")
        return
    for index, one in enumerate(paths):
        if why := _bad_path(one):
            yield invalid_value(f"{where}[{index}]", one, why)


def _bad_path(path: str) -> str:
    if not path:
        return "must not be empty"
    if not path.startswith("/"):
        return "must start with slash"
    if " " in path:
        return "must not contain white-space"
    if "//" in path:
        return "must not contain double slash"
    stars = path.count(_ALL)
    return "wildcard can only do suffix matching" if stars > 1 or (stars == 1 and not path.endswith("/*")) else ""


def _verb_rules(rule: Object, path: str) -> Iterator[FieldError]:
    verbs, where = rule.get("verbs") or [], f"{path}.verbs"
    yield from _at_least_one(rule, "verbs", path, "verbs must contain at least one value")
    if _ALL in verbs:
        yield from _alone(verbs, where, "verbs")
    elif not set(verbs) <= set(_VERBS):
        yield unsupported(where, verbs, _VERBS)


def _at_least_one(rule: Object, field: str, path: str, detail: str) -> Iterator[FieldError]:
    """A list isn't empty; the schema reports a missing one."""
    if rule.get(field) == []:
        yield required(f"{path}.{field}", detail)


def _alone(words: list[str], path: str, others: str) -> Iterator[FieldError]:
    """A list with a star has nothing else in it."""
    if _ALL in words and len(words) > 1:
        yield invalid_value(path, words, f"if '*' is present, must not specify other {others}")
