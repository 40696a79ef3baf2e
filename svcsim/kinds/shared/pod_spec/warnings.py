"""What is allowed in pods and pod templates, and hardly ever meant: deprecated names, selectors of nothing, things that stand twice."""

from collections.abc import Callable, Iterator

from svcsim.dialect import DIALECTS, Dialect
from svcsim.kinds.shared.deprecated import LABELS_OF_NODES, VOLUME_SOURCES
from svcsim.kinds.shared.networks import address_warnings
from svcsim.kinds.shared.pod_spec.port_warnings import port_warnings
from svcsim.kinds.shared.volume_claim_rules import claim_warnings
from svcsim.meta.found_before import FoundBefore
from svcsim.meta.names import dns_label
from svcsim.meta.objects import annotations_of, get_path, metadata_of, name_of
from svcsim.meta.pods import CONTAINERS
from svcsim.meta.quantity import parse
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object

_REQUIRED, _PREFERRED = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"
_NOTHING = "a null labelSelector results in matching no pod"
_BYTES = ("memory", "ephemeral-storage")


def _annotations(dialect: Dialect) -> dict[str, str]:
    key = dialect.key
    sysctls = 'non-functional in v1.11+; use the "sysctls" field instead'
    return {
        key("critical-pod", "scheduler.alpha"): 'non-functional in v1.16+; use the "priorityClassName" field instead',
        key("sysctls", "security.alpha"): sysctls,
        key("unsafe-sysctls", "security.alpha"): sysctls,
    }


_DEPRECATED_ANNOTATIONS = {key: text for dialect in DIALECTS.values() for key, text in _annotations(dialect).items()}
_SECCOMP = tuple((d.key("pod", "seccomp.security.alpha"), d.key("", "container.seccomp.security.alpha")) for d in DIALECTS.values())
_LOOKED_AT = ".alpha."
"""Stands in the key of each annotation that is warned of."""
_ON_FIELDS = 'non-functional in v1.27+; use the "seccompProfile" field instead'


def name_warnings(pod: Object) -> Iterator[str]:
    """A pod's name is its host name as well."""
    if findings := dns_label(name_of(pod)):
        hint = "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended"
        yield f"metadata.name: {hint}: [{' '.join(findings)}]"


def warnings_of(path: str) -> Callable[[Object], Iterator[str]]:
    """Finds what is hardly meant in the pod spec at a path, and in the metadata beside it."""
    beside = path.removesuffix("spec").removesuffix(".")
    annotations = f"{beside}.metadata.annotations".lstrip(".")
    of_spec = FoundBefore(lambda spec: (tuple(_scheduling(spec, path)), tuple(_running(spec, path))))

    def warnings(obj: Object) -> Iterator[str]:
        spec = get_path(obj, path) or {}
        of_scheduling, of_running = of_spec(spec)
        yield from of_scheduling
        yield from _metadata(spec, (get_path(obj, beside) or {}) if beside else obj, annotations)
        yield from of_running

    return warnings


def _running(spec: Object, path: str) -> Iterator[str]:
    """Warnings about everything but the scheduling of the pod."""
    yield from _volume_warnings(spec.get("volumes") or [], f"{path}.volumes")
    yield from _repeated(spec, "hostAliases", "ip", path)
    yield from _repeated(spec, "imagePullSecrets", "name", path)
    yield from _nameless_secrets(spec, path)
    yield from _fractions(spec.get("overhead") or {}, f"{path}.overhead")
    for part in CONTAINERS:
        for index, container in enumerate(spec.get(part) or ()):
            yield from _container(container, f"{path}.{part}[{index}]")
    yield from port_warnings(spec, path)
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        yield f"{path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"
    for name in ("podAffinity", "podAntiAffinity"):
        yield from _selects_nothing(get_path(spec, f"affinity.{name}") or {}, f"{path}.affinity.{name}")
    yield from _addresses(spec, path)


def _addresses(spec: Object, path: str) -> Iterator[str]:
    for index, server in enumerate(get_path(spec, "dnsConfig.nameservers") or ()):
        yield from address_warnings(server, f"{path}.dnsConfig.nameservers[{index}]")
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        yield from address_warnings(alias.get("ip") or "", f"{path}.hostAliases[{index}].ip")


def _scheduling(spec: Object, path: str) -> Iterator[str]:
    for key in spec.get("nodeSelector") or ():
        if key in LABELS_OF_NODES:
            yield f"{path}.nodeSelector[{key}]: {LABELS_OF_NODES[key]}"
    nodes, where = get_path(spec, "affinity.nodeAffinity") or {}, f"{path}.affinity.nodeAffinity"
    for index, term in enumerate((nodes.get(_REQUIRED) or {}).get("nodeSelectorTerms") or ()):
        yield from _term(term, f"{where}.{_REQUIRED}.nodeSelectorTerms[{index}]")
    for index, preferred in enumerate(nodes.get(_PREFERRED) or ()):
        yield from _term(preferred.get("preference") or {}, f"{where}.{_PREFERRED}[{index}].preference")
    for index, constraint in enumerate(spec.get("topologySpreadConstraints") or ()):
        where, key = f"{path}.topologySpreadConstraints[{index}]", constraint.get("topologyKey")
        if key in LABELS_OF_NODES:
            yield f"{where}.topologyKey: {key} is {LABELS_OF_NODES[key]}"
        if constraint.get("labelSelector") is None:
            yield f"{where}.labelSelector: {_NOTHING}"


def _term(term: Object, path: str) -> Iterator[str]:
    for index, expression in enumerate(term.get("matchExpressions") or ()):
        key = expression.get("key")
        if key in LABELS_OF_NODES:
            yield f"{path}.matchExpressions[{index}].key: {key} is {LABELS_OF_NODES[key]}"


def _metadata(spec: Object, template: Object, path: str) -> Iterator[str]:
    if not (template.get("metadata") and metadata_of(template).get("annotations")):
        return
    annotations = annotations_of(template)
    if not any(_LOOKED_AT in key for key in annotations):
        return
    yield from (f"{path}[{key}]: {text}" for key, text in _DEPRECATED_ANNOTATIONS.items() if key in annotations)
    for of_pod, prefix in _SECCOMP:
        if of_pod in annotations and not get_path(spec, "securityContext.seccompProfile"):
            yield f"{path}[{of_pod}]: {_ON_FIELDS}"
        for part in CONTAINERS:
            for container in spec.get(part) or ():
                key = f"{prefix}{container.get('name')}"
                if key in annotations and not get_path(container, "securityContext.seccompProfile"):
                    yield f"{path}[{key}]: {_ON_FIELDS}"


def _repeated(spec: Object, name: str, key: str, path: str) -> Iterator[str]:
    seen: set[str] = set()
    for index, item in enumerate(spec.get(name) or ()):
        value = item.get(key) or ""
        if value in seen:
            yield f"{path}.{name}[{index}].{key}: duplicate {key} {quoted(value)}"
        seen.add(value)


def _nameless_secrets(spec: Object, path: str) -> Iterator[str]:
    for index, secret in enumerate(spec.get("imagePullSecrets") or ()):
        if not secret.get("name"):
            yield f'{path}.imagePullSecrets[{index}].name: invalid empty name ""'


def _container(container: Object, path: str) -> Iterator[str]:
    resources, env = container.get("resources") or {}, container.get("env")
    for part in ("limits", "requests"):
        yield from _fractions(resources.get(part) or {}, f"{path}.resources.{part}")
    if env and len({variable.get("name") or "" for variable in env}) < len(env):
        yield from _hidden_variables(env, f"{path}.env")


def _fractions(amounts: Object, path: str) -> Iterator[str]:
    """There are no parts of bytes."""
    for name in _BYTES:
        amount = amounts.get(name)
        if amount is not None and amount[-1:] in "mun" and parse(amount).millis() % 1000:
            yield f"{path}[{name}]: fractional byte value {quoted(amount)} is invalid, must be an integer"


def _hidden_variables(env: list[Object], path: str) -> Iterator[str]:
    """Variables that are defined again. One that makes use of its older value is meant so."""
    seen: set[str] = set()
    for index, variable in enumerate(env):
        name, value = variable.get("name") or "", variable.get("value") or ""
        reference = f"$({name})"
        if name in seen and ("valueFrom" in variable or reference not in value or value == reference):
            yield f"{path}[{index}]: hides previous definition of {quoted(name)}, which may be dropped when using apply"
        seen.add(name)


def _selects_nothing(affinity: Object, path: str) -> Iterator[str]:
    for index, term in enumerate(affinity.get(_REQUIRED) or ()):
        if term.get("labelSelector") is None:
            yield f"{path}.{_REQUIRED}[{index}].labelSelector: {_NOTHING}"
    for index, preferred in enumerate(affinity.get(_PREFERRED) or ()):
        if get_path(preferred, "podAffinityTerm.labelSelector") is None:
            yield f"{path}.{_PREFERRED}[{index}].podAffinityTerm.labelSelector: {_NOTHING}"


def _volume_warnings(volumes: list[Object], path: str) -> Iterator[str]:
    """Sources that are on their way out, and sizes that can't be."""
    for index, volume in enumerate(volumes):
        yield from (f"{path}[{index}].{name}: {since}" for name, since in VOLUME_SOURCES.items() if volume.get(name) is not None)
        template = get_path(volume, "ephemeral.volumeClaimTemplate.spec")
        yield from claim_warnings(template or {}, f"{path}[{index}].ephemeral.volumeClaimTemplate.spec")
