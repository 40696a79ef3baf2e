"""Files of stages: users' own, and those that are ready."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from svcsim import limits
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.configured_file import configured_file
from svcsim.meta.documents import decode_documents
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json, Object
from svcsim.nodes.staged import kwok_format, own_format
from svcsim.nodes.staged.stage import Stage
from svcsim.nodes.staged.templates import StageError

OPTION = "--stages"
_SHIPPED = Path(__file__).parent / "shipped"
KWOK_CONFIGURATION = "config.kwok.x-k8s.io/v1alpha1"


def shipped() -> list[str]:
    """The names of the stage sets that are ready."""
    return sorted(path.stem for path in _SHIPPED.glob("*.yaml"))


def read_stages(sources: Sequence[str]) -> list[Stage]:
    """The stages of files, and of sets that are ready, by their paths and names. Raises `ConfigurationError`."""
    found: dict[str, Stage] = {}
    for source in sources:
        for stage in _of_source(source):
            if stage.name in found:
                raise ConfigurationError(f"{OPTION}: {source}: there is a stage named {stage.name} already")
            found[stage.name] = stage
    if len(found) > limits.STAGES:
        raise ConfigurationError(f"{OPTION}: more than {limits.STAGES} stages")
    return list(found.values())


def _of_source(source: str) -> Iterable[Stage]:
    path = Path(source).expanduser()
    known = _SHIPPED / f"{source}.yaml"
    if "/" not in source and known.is_file():
        path = known
    elif not path.is_file():
        raise ConfigurationError(f"{OPTION}: {source} is neither a file nor one of {', '.join(shipped())}")
    try:
        documents = [(number, document) for number, document in enumerate(decode_documents(configured_file(OPTION, path)), 1) if document]
    except StatusError as error:
        raise ConfigurationError(f"{OPTION}: {path}: {error.message}") from None
    for number, document in documents:
        try:
            stage = read_document(document)
        except StageError as error:
            name = document.get("metadata", {}).get("name") if isinstance(document, dict) else None
            raise ConfigurationError(f"{OPTION}: {path}: document {number}{f' ({name})' if name else ''}: {error}") from None
        if stage is not None:
            yield stage


def read_document(document: Json) -> Stage | None:
    """The stage that a document of a file is; None for one that is played on nothing, or is no stage but belongs to them."""
    if not isinstance(document, dict):
        raise StageError("it is no object")
    kind, api_version = document.get("kind"), document.get("apiVersion")
    if kind == "CustomResourceDefinition" or api_version == KWOK_CONFIGURATION:
        return None
    if kind != "Stage" or api_version not in _READERS:
        raise StageError(f"it is no Stage of {' or '.join(_READERS)}, but a {kind} of {api_version}")
    name = (document.get("metadata") or {}).get("name") if isinstance(document.get("metadata"), dict) else None
    if not isinstance(name, str) or not name:
        raise StageError("metadata.name: is missing")
    return _READERS[api_version](document)


_READERS = {own_format.API_VERSION: own_format.read_own_stage, kwok_format.API_VERSION: kwok_format.read_kwok_stage}


def read_object(obj: Object) -> Stage | None:
    """The stage that an object of the cluster is. Raises `StageError`."""
    return kwok_format.read_kwok_stage(obj)
