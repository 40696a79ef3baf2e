"""What makes an IngressClass right: a controller's name, and an object with settings that can be found."""

import re
from collections.abc import Iterator

from svcsim.kinds.shared.checks import named, one_of, unchanged
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required, too_long
from svcsim.meta.names import dns_label, dns_subdomain, path_segment
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_MAX_CONTROLLER = 250
_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_path_matches = re.compile(_PATH, re.ASCII).fullmatch


def controller_rules(value: Json, path: str) -> Iterator[FieldError]:
    """A domain, a slash and a path."""
    if len(value.encode()) > _MAX_CONTROLLER:
        yield too_long(path, _MAX_CONTROLLER)
    domain, _, below = value.partition("/")
    if not domain or not below:
        yield invalid_value(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')
        return
    yield from named(dns_subdomain)(domain, path)
    if not _path_matches(below):
        yield invalid_value(path, below, f"Invalid path (regex used for validation is '{_PATH}')")


def ingress_class_spec_rules(spec: Json, path: str) -> Iterator[FieldError]:
    """A class without a controller would never be served."""
    if not spec.get("controller"):
        yield required(f"{path}.controller")


def parameters_rules(reference: Json, path: str) -> Iterator[FieldError]:
    """A reference into a namespace names it, one to a cluster-wide object names none."""
    if reference.get("apiGroup") is not None:
        yield from (invalid_value(f"{path}.apiGroup", reference["apiGroup"], finding) for finding in dns_subdomain(reference["apiGroup"]))
    for name in ("kind", "name"):
        yield from named(path_segment)(reference.get(name), f"{path}.{name}")
    scope, namespace = reference.get("scope"), reference.get("namespace")
    yield from one_of("Cluster", "Namespace")(scope, f"{path}.scope")
    if scope == "Namespace":
        if namespace is None:
            yield required(f"{path}.namespace", "`parameters.scope` is set to 'Namespace'")
        else:
            yield from (invalid_value(f"{path}.namespace", namespace, finding) for finding in dns_label(namespace))
    elif scope == "Cluster" and namespace is not None:
        yield forbidden_field(f"{path}.namespace", "`parameters.scope` is set to 'Cluster'")


def ingress_class_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """Another controller would make another class of it."""
    yield from unchanged(new, old, "controller")
