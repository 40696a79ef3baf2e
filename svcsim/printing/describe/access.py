"""Roles and bindings."""

from collections.abc import Iterator
from typing import NamedTuple

from svcsim.meta.objects import metadata_of, name_of
from svcsim.meta.types import Object
from svcsim.printing.describe.writer import DescribeContext, Writer, annotations, labels


class _Rule(NamedTuple):
    """Verbs on one resource, on some of its objects or all, or on one path."""

    group: str
    resource: str
    names: tuple[str, ...]
    urls: tuple[str, ...]


def describe_role(role: Object, context: DescribeContext) -> None:
    """A Role or a ClusterRole: its rules, a line for each resource and each path and verb."""
    writer = context.writer
    _head(role, writer)
    writer.line("PolicyRule:")
    writer.line("Resources\tNon-Resource URLs\tResource Names\tVerbs", 1)
    writer.line("---------\t-----------------\t--------------\t-----", 1)
    for row in rule_rows(role.get("rules") or []):
        writer.line("\t".join(row), 1)


def rule_rows(rules: list[Object]) -> list[tuple[str, str, str, str]]:
    """Resource, path, names and verbs, a row for each resource and each path and verb."""
    ranked = sorted(_compact(rules), key=_rank)
    return [(_resource(rule), _listed(rule.urls), _listed(rule.names), _listed(verbs)) for rule, verbs in ranked]


def describe_binding(binding: Object, context: DescribeContext) -> None:
    """A RoleBinding or a ClusterRoleBinding: the role, and who has it."""
    writer = context.writer
    _head(binding, writer)
    role = binding.get("roleRef") or {}
    writer.line("Role:")
    writer.field("Kind", role.get("kind", ""), 1)
    writer.field("Name", role.get("name", ""), 1)
    writer.line("Subjects:")
    writer.line("Kind\tName\tNamespace", 1)
    writer.line("----\t----\t---------", 1)
    for subject in binding.get("subjects") or []:
        writer.line("\t".join(subject.get(field, "") for field in ("kind", "name", "namespace")), 1)


def _head(obj: Object, writer: Writer) -> None:
    writer.field("Name", name_of(obj))
    labels(writer, "Labels", metadata_of(obj).get("labels"))
    annotations(writer, "Annotations", metadata_of(obj).get("annotations"))


def _compact(rules: list[Object]) -> Iterator[tuple[_Rule, tuple[str, ...]]]:
    """Rules taken apart, and put together again by what they are about; each verb on a path stays a rule of its own."""
    by_resource: dict[_Rule, dict[str, None]] = {}
    for rule in rules:
        verbs = rule.get("verbs") or []
        for group in rule.get("apiGroups") or []:
            for resource in rule.get("resources") or []:
                for name in rule.get("resourceNames") or [""]:
                    names = (name,) if rule.get("resourceNames") else ()
                    by_resource.setdefault(_Rule(group, resource, names, ()), {}).update(dict.fromkeys(verbs))
        for url in rule.get("nonResourceURLs") or []:
            yield from ((_Rule("", "", (), (url,)), (verb,)) for verb in verbs)
    yield from ((rule, tuple(verbs)) for rule, verbs in by_resource.items() if verbs)


def _rank(entry: tuple[_Rule, tuple[str, ...]]) -> str:
    """Rules are in the order of their texts, which begin with the verbs."""
    rule, verbs = entry
    about = "[]" if rule.urls else f"[{rule.group}]"
    return f"Verbs:{_listed(verbs)},APIGroups:{about},Resources:[{rule.resource}],Names:{_listed(rule.names)},URLs:{_listed(rule.urls)}"


def _resource(rule: _Rule) -> str:
    resource, slash, subresource = rule.resource.partition("/")
    return f"{resource}{'.' if rule.group else ''}{rule.group}{slash}{subresource}"


def _listed(words: tuple[str, ...]) -> str:
    return f"[{' '.join(words)}]"
