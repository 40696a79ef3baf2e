"""What makes a binding right: a role there can be, and subjects of the three kinds. Its role stays."""

from collections.abc import Iterator

from svcsim.kinds.groups import RBAC_V1
from svcsim.kinds.rbac.binding_defaults import subject_group
from svcsim.kinds.shared.checks import named, one_of
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required
from svcsim.meta.names import dns_subdomain, path_segment
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def role_binding_rules(binding: Object, context: Context) -> Iterator[FieldError]:
    """The rules of a binding in a namespace, whose service accounts are of that namespace unless they name another."""
    yield from _role_rules(binding["roleRef"], ("Role", "ClusterRole"), context)
    for index, subject in enumerate(binding.get("subjects") or ()):
        yield from _subject_rules(subject, f"subjects[{index}]", context)


def cluster_role_binding_rules(binding: Object, context: Context) -> Iterator[FieldError]:
    """The rules of a binding for the whole cluster."""
    yield from _role_rules(binding["roleRef"], ("ClusterRole",), context)
    for index, subject in enumerate(binding.get("subjects") or ()):
        yield from _subject_rules(subject, f"subjects[{index}]", context)
        if subject["kind"] == "ServiceAccount" and not subject.get("namespace"):
            yield required(f"subjects[{index}].namespace")


def _role_rules(role: Object, kinds: tuple[str, ...], context: Context) -> Iterator[FieldError]:
    yield from one_of(RBAC_V1.name(context.dialect))(role["apiGroup"], "roleRef.apiGroup")
    yield from one_of(*kinds)(role["kind"], "roleRef.kind")
    if not role["name"]:
        yield required("roleRef.name")
    yield from named(path_segment)(role["name"], "roleRef.name")


def _subject_rules(subject: Object, path: str, context: Context) -> Iterator[FieldError]:
    kind, name = subject["kind"], subject["name"]
    if not name:
        yield required(f"{path}.name")
    if kind not in ("ServiceAccount", "User", "Group"):
        yield from one_of("ServiceAccount", "User", "Group")(kind, f"{path}.kind")
        return
    if kind == "ServiceAccount":
        yield from named(dns_subdomain)(name, f"{path}.name")
    elif subject.get("namespace"):
        yield forbidden_field(f"{path}.namespace", f"may not be set when `kind` is '{kind}'")
    yield from one_of(subject_group(kind, context.dialect))(subject.get("apiGroup") or "", f"{path}.apiGroup")


def binding_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    if not same_json(new.get("roleRef"), old.get("roleRef")):
        yield invalid_value("roleRef", new.get("roleRef"), "cannot change roleRef")
