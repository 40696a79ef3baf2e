"""The plugin: pods are held to the levels of their namespace's labels, each for one mode (enforce, audit, warn).

The templates of workloads only cause warnings and audit annotations: the pods are refused when they are created. A user who makes the label
of a namespace stricter is warned of the pods in it that would be refused now.
"""

from collections.abc import Iterator
from typing import Final

from svcsim import limits
from svcsim.admission.plugin import Rule
from svcsim.admission.pod_security.levels import (
    LATEST,
    LEVELS,
    PRIVILEGED,
    RESTRICTED,
    Level,
    is_version,
    level_rules,
    told,
    version_rules,
    violations,
)
from svcsim.admission.pod_security.standards import MODES, Levels, Standards
from svcsim.dialect import Dialect
from svcsim.meta.aside import aside
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import FieldError, invalid
from svcsim.meta.objects import annotations_of, get_path, labels_of, name_of
from svcsim.meta.pods import CONTAINERS
from svcsim.meta.types import GroupKind, Object
from svcsim.registry.admission import AdmissionRequest, Operation
from svcsim.registry.lister import Listers
from svcsim.storage.contract import Store

_TEMPLATES: Final = {
    "podtemplates": "template",
    "cronjobs": "spec.jobTemplate.spec.template",
    **dict.fromkeys(("replicationcontrollers", "replicasets", "deployments", "statefulsets", "daemonsets", "jobs"), "spec.template"),
}
"""Where the pods of what makes pods are described."""
_WRITES: Final[tuple[Operation, ...]] = ("CREATE", "UPDATE")
_PRIVILEGED: Final = str(Level(PRIVILEGED, LATEST))
_SECCOMP = "seccomp.security.alpha."
"""Which profiles containers had, in times before that was a field."""


class PodSecurity:
    """Labels that nobody can read count as the strictest level."""

    name = "PodSecurity"
    rules = (
        Rule(_WRITES, ("pods", "namespaces", "podtemplates", "replicationcontrollers")),
        Rule(("UPDATE",), ("pods/ephemeralcontainers", "pods/resize")),
        Rule(_WRITES, ("replicasets", "deployments", "statefulsets", "daemonsets"), "apps"),
        Rule(_WRITES, ("jobs", "cronjobs"), "batch"),
    )

    def __init__(self, listers: Listers, store: Store, dialect: Dialect, standards: Standards) -> None:
        self._defaults, self._exempt = standards
        self._namespaces = listers.of("namespaces")
        self._store = store
        self._labels = {mode: (dialect.key(mode, "pod-security"), dialect.key(f"{mode}-version", "pod-security")) for mode in MODES}
        self._note = dialect.key("", "pod-security").rstrip("/")

    async def validate(self, request: AdmissionRequest) -> None:
        if request.resource.plural == "namespaces":
            await self._namespace(request)
            return
        if self._is_exempt(request):
            return
        namespace = self._namespaces.get("", request.target.namespace)
        policy = self._defaults if namespace is None else self._policy(labels_of(namespace))
        if request.resource.plural == "pods":
            self._pod(request, policy)
        elif policy.audit.name != PRIVILEGED or policy.warn.name != PRIVILEGED:
            template = get_path(request.obj or {}, _TEMPLATES[request.resource.plural])
            if template and not self._runs_exempt(request, template.get("spec") or {}):
                self._tell(request, policy, template.get("metadata") or {}, template.get("spec") or {})

    def _is_exempt(self, request: AdmissionRequest) -> bool:
        """Whether it is exempt because of its namespace or the user."""
        if request.target.namespace in self._exempt.namespaces:
            request.annotate(f"{self._note}/exempt", "namespace")
            return True
        if request.user.name in self._exempt.users:
            request.annotate(f"{self._note}/exempt", "user")
            return True
        return False

    def _runs_exempt(self, request: AdmissionRequest, spec: Object) -> bool:
        """Whether pods like this are held to no level for what runs them."""
        if spec.get("runtimeClassName") not in self._exempt.runtime_classes:
            return False
        request.annotate(f"{self._note}/exempt", "runtimeClass")
        return True

    def _pod(self, request: AdmissionRequest, policy: Levels) -> None:
        assert request.obj is not None
        if policy.is_privileged:  # in whatever versions: nothing was checked
            request.annotate(f"{self._note}/enforce-policy", _PRIVILEGED)
            return
        if request.operation == "UPDATE" and request.old is not None and not _is_significant(request.obj, request.old):
            return
        metadata, spec = request.obj["metadata"], request.obj.get("spec") or {}
        if self._runs_exempt(request, spec):
            return
        request.annotate(f"{self._note}/enforce-policy", str(policy.enforce))
        if found := violations(policy.enforce, metadata, spec):
            self._audit(request, policy, metadata, spec)
            raise request.refusal(f'violates PodSecurity "{policy.enforce}": {told(found)}')
        self._tell(request, policy, metadata, spec)

    def _tell(self, request: AdmissionRequest, policy: Levels, metadata: Object, spec: Object) -> None:
        """Note and warn of what would not be let in."""
        self._audit(request, policy, metadata, spec)
        if found := violations(policy.warn, metadata, spec):
            request.warn(f'would violate PodSecurity "{policy.warn}": {told(found)}')

    def _audit(self, request: AdmissionRequest, policy: Levels, metadata: Object, spec: Object) -> None:
        if found := violations(policy.audit, metadata, spec):
            request.annotate(f"{self._note}/audit-violations", f'would violate PodSecurity "{policy.audit}": {told(found)}')

    async def _namespace(self, request: AdmissionRequest) -> None:
        """Refuse labels that can't be read, unless they were there before, and warn of pods that a stricter level would not let in."""
        assert request.obj is not None
        labels = labels_of(request.obj)
        before = {} if request.old is None else labels_of(request.old)
        if (wrong := list(self._wrong(labels))) and not list(self._wrong(before)):
            raise invalid(GroupKind("", "Namespace"), request.name, wrong)
        level, former = self._policy(labels).enforce, self._policy(before).enforce
        loosened = level.version == former.version and LEVELS.index(level.name) <= LEVELS.index(former.name)
        stricter = level.name != PRIVILEGED and not loosened
        if request.name in self._exempt.namespaces:
            if request.operation == "CREATE" or stricter:
                self._warn_of_exemption(request, self._policy(labels))
        elif request.operation == "UPDATE" and stricter:
            await self._warn_of_pods(request, level)

    def _warn_of_exemption(self, request: AdmissionRequest, policy: Levels) -> None:
        told = ", ".join(f"{mode}={level}" for mode, level in zip(MODES, policy, strict=True) if level.name != PRIVILEGED)
        if told and policy != self._defaults:
            request.warn(f'namespace "{request.name}" is exempt from Pod Security, and the policy ({told}) will be ignored')

    async def _warn_of_pods(self, request: AdmissionRequest, level: Level) -> None:
        found: dict[str, list[str]] = {}
        left = limits.NAMESPACE_PODS_CHECKED
        async for _, bodies in self._store.bodies("pods", request.name):
            checked = bodies[:left]
            for reasons, name in await aside(sum(map(len, checked)), _violating, level, checked):
                found.setdefault(reasons, []).append(name)
            left -= len(checked)
            if len(checked) < len(bodies) or not left:
                break
        total = await self._store.count("pods", request.name)
        if not left and total > limits.NAMESPACE_PODS_CHECKED:
            first = f"the first {limits.NAMESPACE_PODS_CHECKED} of {total} existing pods"
            request.warn(f"new PodSecurity enforce level only checked against {first}")
        if found:
            request.warn(f'existing pods in namespace "{request.name}" violate the new PodSecurity enforce level "{level}"')
        for reasons, names in found.items():
            others = len(names) - 1
            more = f" (and {others} other pod{'s' if others > 1 else ''})" if others else ""
            request.warn(f"{min(names)}{more}: {reasons}")

    def _policy(self, labels: dict[str, str]) -> Levels:
        enforce, audit, warn = (self._level(labels, mode, default) for mode, default in zip(MODES, self._defaults, strict=True))
        labelled = {mode for mode in MODES if self._labels[mode][0] in labels}
        # Who says nothing of warnings is warned of what will be refused: of workloads, whose pods come later.
        if "warn" not in labelled and "enforce" in labelled and LEVELS.index(enforce.name) > LEVELS.index(warn.name):
            warn = enforce
        return Levels(enforce, audit, warn)

    def _level(self, labels: dict[str, str], mode: str, default: Level) -> Level:
        name, version = (labels.get(key) for key in self._labels[mode])
        if name is not None and name not in LEVELS:
            name = RESTRICTED
        if version is not None and not is_version(version):
            version = LATEST
        return Level(name or default.name, version or default.version)

    def _wrong(self, labels: dict[str, str]) -> Iterator[FieldError]:
        for level_key, version_key in self._labels.values():
            if level_key in labels:
                yield from level_rules(labels[level_key], f"metadata.labels[{level_key}]")
            if version_key in labels:
                yield from version_rules(labels[version_key], f"metadata.labels[{version_key}]")


def _violating(level: Level, bodies: list[bytes]) -> list[tuple[str, str]]:
    """Why pods would not be let in at a level, and their names."""
    pods = map(decode_json, bodies)
    found = ((violations(level, pod["metadata"], pod.get("spec") or {}), name_of(pod)) for pod in pods)
    return [(", ".join(one.reason for one in wrong), name) for wrong, name in found if wrong]


def _is_significant(new: Object, old: Object) -> bool:
    """Whether a change of a pod may make it another one for security: of all that may be changed, its images and old annotations."""
    return _significant(new) != _significant(old)


def _significant(pod: Object) -> tuple[object, ...]:
    spec, annotations = pod.get("spec") or {}, annotations_of(pod)
    images = tuple([[container.get("image") for container in spec.get(kind) or ()] for kind in CONTAINERS])
    return images, {key: value for key, value in annotations.items() if _SECCOMP in key}
