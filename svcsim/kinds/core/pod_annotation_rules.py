"""What makes a pod's annotations right, where the cluster reads them: mirrors of static pods, costs of deletion, profiles of old."""

import re
from collections.abc import Iterator, Mapping

from svcsim.dialect import Dialect
from svcsim.kinds.shared.pod_spec.container_rules import descending_path
from svcsim.meta.errors import FieldError, forbidden_field, invalid_value
from svcsim.meta.objects import annotations_of
from svcsim.meta.pods import CONTAINERS
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

_PATH = "metadata.annotations"
_COST = re.compile(r"-?(0|[1-9][0-9]*)", re.ASCII)
_COST_LIMIT = 2**31
_LOCAL = "localhost/"
_OLD_PROFILES = {"Unconfined": ("unconfined",), "RuntimeDefault": ("runtime/default", "docker/default")}
"""What annotations call the types of seccomp profiles; ``localhost/`` and a path is one on the node."""
_OF_PROFILES = ".security."
"""Stands in the key of each annotation that names a profile."""
_ARMOR_PROFILES = {"Unconfined": ("unconfined",), "RuntimeDefault": ("runtime/default",)}


def mirror(dialect: Dialect) -> str:
    """The annotation of a pod that mirrors one its node was given beside the API."""
    return dialect.key("config.mirror")


def _seccomp(name: str, dialect: Dialect) -> str:
    return dialect.key(name, "container.seccomp.security.alpha")


def _armor(name: str, dialect: Dialect) -> str:
    return dialect.key(name, "container.apparmor.security.beta")


def _containers(spec: Object) -> Iterator[tuple[str, Object]]:
    for part in CONTAINERS:
        for index, container in enumerate(spec.get(part) or ()):
            yield f"spec.{part}[{index}]", container


def annotation_rules(pod: Object, context: Context) -> Iterator[FieldError]:
    """Annotations as such."""
    annotations, dialect = annotations_of(pod), context.dialect
    if not annotations:
        return
    key = mirror(dialect)
    if key in annotations and not pod["spec"].get("nodeName"):
        yield invalid_value(f"{_PATH}[{key}]", annotations[key], "must set spec.nodeName if mirror pod annotation is set")
    key = dialect.key("pod-deletion-cost", "controller")
    cost = annotations.get(key, "0")
    if not _COST.fullmatch(cost) or not -_COST_LIMIT <= int(cost) < _COST_LIMIT:
        yield invalid_value(f"{_PATH}[{key}]", cost, "must be a 32bit integer")
    for key, profile in annotations.items():
        if _OF_PROFILES not in key:
            continue
        if key == dialect.key("pod", "seccomp.security.alpha") or key.startswith(_seccomp("", dialect)):
            yield from _seccomp_profile(profile, f"{_PATH}.{key}")
        elif key.startswith(_armor("", dialect)):
            yield from _armor_profile(pod["spec"], key.partition("/")[2], profile, f"{_PATH}[{key}]")


def _seccomp_profile(profile: str, path: str) -> Iterator[FieldError]:
    if profile.startswith(_LOCAL):
        yield from descending_path(profile.removeprefix(_LOCAL), path)
    elif not any(profile in words for words in _OLD_PROFILES.values()):
        yield invalid_value(path, profile, "must be a valid seccomp profile")


def _armor_profile(spec: Object, name: str, profile: str, path: str) -> Iterator[FieldError]:
    if not any(container.get("name") == name for _, container in _containers(spec)):
        yield invalid_value(path, name, "container not found")
    if profile and not profile.startswith(_LOCAL) and not any(profile in words for words in _ARMOR_PROFILES.values()):
        yield invalid_value(path, profile, f"invalid AppArmor profile name: {quoted(profile)}")


def annotations_fit_fields(pod: Object, context: Context) -> Iterator[FieldError]:
    """Where a new pod names its profiles in annotations as well, they are the same."""
    annotations, dialect, spec = annotations_of(pod), context.dialect, pod["spec"]
    if not any(_OF_PROFILES in key for key in annotations):
        return
    of_pod = spec.get("securityContext") or {}
    key = dialect.key("pod", "seccomp.security.alpha")
    yield from _fits(annotations.get(key), of_pod.get("seccompProfile"), "seccomp", _OLD_PROFILES, "spec.securityContext.seccompProfile")
    for path, container in _containers(spec):
        own, name = container.get("securityContext") or {}, container.get("name") or ""
        said = annotations.get(_seccomp(name, dialect))
        yield from _fits(said, own.get("seccompProfile"), "seccomp", _OLD_PROFILES, f"{path}.securityContext.seccompProfile")
        if (spec.get("os") or {}).get("name") != "windows":
            said, armor = annotations.get(_armor(name, dialect)), own.get("appArmorProfile") or of_pod.get("appArmorProfile")
            yield from _fits(said, armor, "apparmor", _ARMOR_PROFILES, f"{path}.securityContext.appArmorProfile")


def _fits(said: str | None, profile: Object | None, word: str, words: Mapping[str, tuple[str, ...]], path: str) -> Iterator[FieldError]:
    if said is None or profile is None:
        return
    kind = profile.get("type") or ""
    if kind == "Localhost" and said.startswith(_LOCAL):
        if said.removeprefix(_LOCAL) != profile.get("localhostProfile"):
            yield forbidden_field(f"{path}.localhostProfile", f"{word} profile in annotation and field must match")
    elif said not in words.get(kind, ()):
        yield forbidden_field(f"{path}.type", f"{word} type in annotation and field must match")


def annotation_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """What annotations say of how a pod was started stays as it is."""
    wanted, held, dialect = annotations_of(new), annotations_of(old), context.dialect
    if wanted == held:
        return
    for key in {**held, **wanted}:
        word = "mirror pod annotation" if key == mirror(dialect) else "AppArmor annotations" if key.startswith(_armor("", dialect)) else ""
        if word and wanted.get(key) != held.get(key):
            yield forbidden_field(f"{_PATH}[{key}]", f"may not {'remove or update' if key in held else 'add'} {word}")
