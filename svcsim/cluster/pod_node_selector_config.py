"""What a file says of the plugin PodNodeSelector: the selector of namespaces that have none, and what those of single ones may be."""

from collections.abc import Mapping
from typing import Final

from svcsim.admission.pod_node_selector import NodeSelectors, UnreadableSelectorError, parse_node_selector
from svcsim.cluster.admission_config import AdmissionConfig
from svcsim.cluster.plugin_fields import MalformedError, check_fields
from svcsim.meta.types import Json

_PLUGIN: Final = "PodNodeSelector"
_FIELD: Final = "podNodeSelectorPluginConfig"
_DEFAULT: Final = "clusterDefaultNodeSelector"


def node_selectors(config: AdmissionConfig) -> NodeSelectors:
    """Nothing where there is no file. Raises `ConfigurationError`."""
    found = config.plugins.get(_PLUGIN)
    if found is None:
        return NodeSelectors()
    with found.named():
        block: Json = found.content.get(_FIELD)
        if not isinstance(block, dict):
            raise MalformedError(f"{_FIELD}: it is missing, or no map of selectors")
        check_fields(found.content, (_FIELD,))
        read = {name: _selector(name, text) for name, text in block.items()}
        return NodeSelectors(read.pop(_DEFAULT, {}), read)


def _selector(name: str, text: Json) -> Mapping[str, str]:
    if not isinstance(text, str):
        raise MalformedError(f"{_FIELD}.{name}: it is no text such as zone=a,disk=fast")
    try:
        return parse_node_selector(text)
    except UnreadableSelectorError as error:
        raise MalformedError(f"{_FIELD}.{name}: {error}") from error
