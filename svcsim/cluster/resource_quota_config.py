"""What a file says of the plugin ResourceQuota: what nobody may take where no quota covers it."""

from collections.abc import Iterator
from typing import Final

from svcsim.admission.resource_quota.limited import LimitedResource
from svcsim.cluster.admission_config import AdmissionConfig, check_kind
from svcsim.cluster.plugin_fields import KIND, check_fields, malformed, objects, text, texts
from svcsim.dialect import Dialect
from svcsim.meta.errors import required, unsupported
from svcsim.meta.types import Object

_PLUGIN: Final = "ResourceQuota"
_KINDS: Final = (
    ("apiserver.config", "v1", "ResourceQuotaConfiguration"),
    *(("resourcequota.admission", version, "Configuration") for version in ("v1", "v1beta1", "v1alpha1")),
)
_FIELDS: Final = ("apiGroup", "resource", "matchContains", "matchScopes")
_SCOPE_FIELDS: Final = ("scopeName", "operator", "values")
_SCOPES: Final = (
    *("Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity"),
    "VolumeAttributesClass",
)
_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")


def limited_resources(config: AdmissionConfig, dialect: Dialect) -> tuple[LimitedResource, ...]:
    """None where there is no file. Raises `ConfigurationError`."""
    found = config.plugins.get(_PLUGIN)
    if found is None:
        return ()
    with found.named():
        check_kind(found.content, _KINDS, dialect)
        check_fields(found.content, (*KIND, "limitedResources"))
        return tuple(_limited(found.content))


def _limited(content: Object) -> Iterator[LimitedResource]:
    for index, one in enumerate(objects(content, "limitedResources", _FIELDS)):
        path = f"limitedResources[{index}]"
        group, resource = text(one, "apiGroup", path), text(one, "resource", path)
        if not resource:
            raise malformed(required(f"{path}.resource", ""))
        scopes = objects(one, "matchScopes", _SCOPE_FIELDS, path)
        for at, scope in enumerate(scopes):
            _check_scope(scope, f"{path}.matchScopes[{at}]")
        yield LimitedResource(group, resource, texts(one, "matchContains", path), tuple(scopes))


def _check_scope(scope: Object, path: str) -> None:
    for field, known in (("scopeName", _SCOPES), ("operator", _OPERATORS)):
        if text(scope, field, path) not in known:
            raise malformed(unsupported(f"{path}.{field}", text(scope, field, path), known))
    texts(scope, "values", path)
