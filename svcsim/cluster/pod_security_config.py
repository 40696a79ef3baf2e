"""What a file says of the plugin PodSecurity: the levels of namespaces without labels, and who and what is held to none."""

from collections.abc import Iterator
from typing import Final

from svcsim.admission.pod_security.levels import LATEST, PRIVILEGED, Level, level_rules, version_rules
from svcsim.admission.pod_security.standards import MODES, Exemptions, Levels, Standards
from svcsim.cluster.admission_config import AdmissionConfig, check_kind
from svcsim.cluster.plugin_fields import KIND, MalformedError, block, check_fields, listed, malformed, text
from svcsim.dialect import Dialect
from svcsim.meta.errors import duplicate, invalid_value
from svcsim.meta.types import Object

_PLUGIN: Final = "PodSecurity"
_KINDS: Final = tuple(("pod-security.admission.config", version, "PodSecurityConfiguration") for version in ("v1", "v1beta1", "v1alpha1"))
_EXEMPT: Final = ("usernames", "namespaces", "runtimeClasses")


def pod_security_standards(config: AdmissionConfig, dialect: Dialect) -> Standards:
    """What holds where labels say nothing. Raises `ConfigurationError`."""
    found = config.plugins.get(_PLUGIN)
    if found is None:
        return Standards()
    with found.named():
        check_kind(found.content, _KINDS, dialect)
        check_fields(found.content, (*KIND, "defaults", "exemptions"))
        return _standards(found.content)


def _standards(content: Object) -> Standards:
    """Raises `MalformedError`."""
    defaults = block(content, "defaults", (*MODES, *(f"{mode}-version" for mode in MODES)))
    exemptions = block(content, "exemptions", _EXEMPT)
    users, namespaces, classes = (frozenset(_names(exemptions, field)) for field in _EXEMPT)
    return Standards(Levels(*(_level(defaults, mode) for mode in MODES)), Exemptions(users, namespaces, classes))


def _level(defaults: Object, mode: str) -> Level:
    name = text(defaults, mode, "defaults") or PRIVILEGED
    version = text(defaults, f"{mode}-version", "defaults") or LATEST
    for finding in (*level_rules(name, f"defaults.{mode}"), *version_rules(version, f"defaults.{mode}-version")):
        raise malformed(finding)
    return Level(name, version)


def _names(exemptions: Object, field: str) -> Iterator[str]:
    names = listed(exemptions, field)
    if names is None:
        raise MalformedError(f"exemptions.{field} is no list of names")
    for index, name in enumerate(names):
        if not isinstance(name, str) or not name:
            raise malformed(invalid_value(f"exemptions.{field}[{index}]", name, "must be a name"))
        if name in names[:index]:
            raise malformed(duplicate(f"exemptions.{field}[{index}]", name))
        yield name
