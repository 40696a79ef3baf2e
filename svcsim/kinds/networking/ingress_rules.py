"""What makes an Ingress right: hosts, paths and backends that requests can be led by."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import address, named, one_of, port
from svcsim.meta.errors import FieldError, invalid_value, required
from svcsim.meta.names import dns_1035_label, dns_subdomain, path_segment, port_name, wildcard_dns_subdomain
from svcsim.meta.networks import parse_address
from svcsim.meta.objects import metadata_of
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_NOT_AN_ADDRESS = "must be a DNS name, not an IP address"
_PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")
_NOT_IN_PATHS = ("//", "/./", "/../", "%2f", "%2F")
_NOT_AT_THE_END = ("/..", "/.")


def ingress_spec_rules(spec: Json, path: str) -> Iterator[FieldError]:
    """There is somewhere for requests to go."""
    if not spec.get("rules") and spec.get("defaultBackend") is None:
        yield invalid_value(path, None, "either `defaultBackend` or `rules` must be specified")
    if spec.get("ingressClassName") is not None:
        yield from (
            invalid_value(f"{path}.ingressClassName", spec["ingressClassName"], finding)
            for finding in dns_subdomain(spec["ingressClassName"])
        )


def rule_rules(rule: Json, path: str) -> Iterator[FieldError]:
    host = rule.get("host") or ""
    if parse_address(host) is not None:
        yield invalid_value(f"{path}.host", host, _NOT_AN_ADDRESS)
    yield from _host(host, f"{path}.host")


def _host(host: str, path: str) -> Iterator[FieldError]:
    yield from named(wildcard_dns_subdomain if "*" in host else dns_subdomain)(host, path)


def tls_rules(tls: Json, path: str) -> Iterator[FieldError]:
    for index, host in enumerate(tls.get("hosts") or ()):
        check = wildcard_dns_subdomain if "*" in host else dns_subdomain
        yield from (invalid_value(f"{path}.hosts[{index}]", host, finding) for finding in check(host))
    yield from named(dns_subdomain)(tls.get("secretName"), f"{path}.secretName")


def path_rules(item: Json, path: str) -> Iterator[FieldError]:
    """A path fits its type."""
    kind, spelled, where = item.get("pathType"), item.get("path") or "", f"{path}.path"
    if not kind:
        yield required(f"{path}.pathType", "pathType must be specified")
        return
    yield from one_of(*_PATH_TYPES)(kind, f"{path}.pathType")
    if kind not in _PATH_TYPES:
        return
    if not spelled.startswith("/") and (spelled or kind != "ImplementationSpecific"):
        yield invalid_value(where, spelled, "must be an absolute path")
    if kind != "ImplementationSpecific":
        yield from (invalid_value(where, spelled, f"must not contain '{part}'") for part in _NOT_IN_PATHS if part in spelled)
        yield from (invalid_value(where, spelled, f"cannot end with '{part}'") for part in _NOT_AT_THE_END if spelled.endswith(part))


def backend_rules(backend: Json, path: str) -> Iterator[FieldError]:
    """Either a Service or another object."""
    service, resource = backend.get("service"), backend.get("resource")
    if service is not None and resource is not None:
        yield invalid_value(path, "", "cannot set both resource and service backends")
    elif service is not None:
        yield from _service(service, path)
    elif resource is not None:
        yield from _resource(resource, f"{path}.resource")
    else:
        yield invalid_value(path, "", "resource or service backend is required")


def _service(service: Object, path: str) -> Iterator[FieldError]:
    yield from named(dns_1035_label)(service.get("name"), f"{path}.service.name")
    name, number = service["port"].get("name"), service["port"].get("number")
    if name and number:
        yield invalid_value(path, "", "cannot set both port name & port number")
    elif name:
        yield from named(port_name)(name, f"{path}.service.port.name")
    elif number:
        yield from port(number, f"{path}.service.port.number")
    else:
        yield required(path, "port name or number is required")


def _resource(resource: Object, path: str) -> Iterator[FieldError]:
    group = resource.get("apiGroup")
    if group is not None:
        yield from (invalid_value(f"{path}.apiGroup", group, finding) for finding in dns_subdomain(group))
    for name in ("kind", "name"):
        yield from named(path_segment)(resource.get(name), f"{path}.{name}")


def balancer_rules(balancer: Json, path: str) -> Iterator[FieldError]:
    """The rules of a load balancer in the status: an address, a name, or both."""
    if balancer.get("ip"):
        yield from address(balancer["ip"], f"{path}.ip")
    host = balancer.get("hostname") or ""
    yield from named(dns_subdomain)(host, f"{path}.hostname")
    if parse_address(host) is not None:
        yield invalid_value(f"{path}.hostname", host, _NOT_AN_ADDRESS)


def class_annotation_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    """The annotation that named the class before there was a field for it says the same as the field; alone, it is warned of."""
    key = context.dialect.key("ingress.class")
    said = (metadata_of(obj).get("annotations") or {}).get(key)
    if said is None:
        return
    wanted = (obj.get("spec") or {}).get("ingressClassName")
    if wanted is None:
        context.warn(f"annotation \"{key}\" is deprecated, please use 'spec.ingressClassName' instead")
    elif wanted != said:
        yield invalid_value(f"annotations.{key}", said, "must match `ingressClassName` when both are specified")
