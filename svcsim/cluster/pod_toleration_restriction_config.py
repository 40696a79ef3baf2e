"""What a file says of the plugin PodTolerationRestriction: what pods tolerate, and may, in namespaces that say nothing of it."""

from collections.abc import Iterator
from typing import Final

from svcsim.admission.listed_tolerations import read_tolerations
from svcsim.admission.pod_toleration_restriction import Tolerations
from svcsim.cluster.admission_config import AdmissionConfig, check_kind
from svcsim.cluster.plugin_fields import KIND, MalformedError, check_fields, malformed, objects
from svcsim.dialect import Dialect
from svcsim.kinds.shared.pod_spec.scheduling import TOLERATION
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.schema.compile import compile_struct

_PLUGIN: Final = "PodTolerationRestriction"
_KINDS: Final = (("podtolerationrestriction.admission", "v1alpha1", "Configuration"),)
_LISTS: Final = ("default", "whitelist")
_FIELDS: Final = tuple(field.name for field in TOLERATION.fields)


def cluster_tolerations(config: AdmissionConfig, dialect: Dialect) -> Tolerations:
    """Nothing where there is no file. Raises `ConfigurationError`."""
    found = config.plugins.get(_PLUGIN)
    if found is None:
        return Tolerations()
    with found.named():
        check_kind(found.content, _KINDS, dialect)
        check_fields(found.content, (*KIND, *_LISTS))
        return Tolerations(*(tuple(_tolerations(found.content, field)) for field in _LISTS))


def _tolerations(content: Object, field: str) -> Iterator[Object]:
    """Such as pods can have. Raises `MalformedError`."""
    toleration = compile_struct(TOLERATION)
    for index, given in enumerate(objects(content, field, _FIELDS)):
        path = f"{field}[{index}]"
        try:
            ((one, _),) = read_tolerations(toleration, [given])
        except StatusError as error:
            raise MalformedError(f"{path}: {error.message}") from error
        for finding in toleration.validate(one):
            raise malformed(finding._replace(path=f"{path}.{finding.path}"))
        yield one
