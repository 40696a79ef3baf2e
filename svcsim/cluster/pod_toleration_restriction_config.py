"""What a file says of the plugin PodTolerationRestriction: what pods tolerate, and may, in namespaces that say nothing of it."""

from typing import Final

from svcsim.admission.pod_toleration_restriction import Tolerations
from svcsim.cluster.admission_config import AdmissionConfig, check_kind, objects
from svcsim.dialect import Dialect

_PLUGIN: Final = "PodTolerationRestriction"
_KINDS: Final = (("podtolerationrestriction.admission", "v1alpha1", "Configuration"),)


def cluster_tolerations(config: AdmissionConfig, dialect: Dialect) -> Tolerations:
    """Nothing where there is no file. Raises `ConfigurationError`."""
    found = config.plugins.get(_PLUGIN)
    if found is None:
        return Tolerations()
    check_kind(found.path, found.content, _KINDS, dialect)
    with found.named():
        return Tolerations(*(tuple(objects(found.content, field)) for field in ("default", "whitelist")))
