"""Files of stages: users' own, and those that are ready."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from svcsim import limits
from svcsim.client.discovery import group_of
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.configured_file import configured_file
from svcsim.meta.documents import decode_documents
from svcsim.meta.errors import StatusError
from svcsim.meta.names import dns_subdomain
from svcsim.meta.objects import name_of
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json, Object
from svcsim.nodes.staged import kwok_format, own_format
from svcsim.nodes.staged.fields import Fields
from svcsim.nodes.staged.ready_sets import file_of, shipped
from svcsim.nodes.staged.stage import ObjectKind, Stage
from svcsim.nodes.staged.templates import StageError

OPTION = "--stages"
KWOK_CONFIGURATION = "config.kwok.x-k8s.io/v1alpha1"


def read_stages(sources: Sequence[str], kinds: Mapping[str, Collection[str]] | None = None) -> list[Stage]:
    """The stages of files, and of sets that are ready, by their paths and names. Raises `ConfigurationError`.

    ``kinds`` are those there will always be, by their groups; stages may be about others, too, of groups that may come later.
    """
    found: dict[str, _Given] = {}
    for source in sources:
        for given in _of_source(source):
            if given.stage.name in found:
                raise ConfigurationError(f"{OPTION}: {source}: there is a stage named {given.stage.name} already")
            found[given.stage.name] = given
    if len(found) > limits.STAGES:
        raise ConfigurationError(f"{OPTION}: more than {limits.STAGES} stages")
    stages = {name: given.stage for name, given in found.items()}
    for where, stage in found.values():
        try:
            check_following(stage, stages)
            if kinds is not None:
                check_kind(stage.of, kinds)
        except StageError as error:
            raise ConfigurationError(f"{OPTION}: {where}: {error}") from None
    return list(stages.values())


class _Given(NamedTuple):
    """A stage, and where it stands."""

    where: str
    stage: Stage


def _of_source(source: str) -> Iterable[_Given]:
    path = file_of(source) or Path(source).expanduser()
    if not path.is_file():
        raise ConfigurationError(f"{OPTION}: {source} is neither a file nor one of {', '.join(shipped())}")
    try:
        documents = [(number, document) for number, document in enumerate(decode_documents(configured_file(OPTION, path)), 1) if document]
    except StatusError as error:
        raise ConfigurationError(f"{OPTION}: {path}: {error.message}") from None
    if all(isinstance(document, dict) and _is_beside_stages(document) for _, document in documents):
        raise ConfigurationError(f"{OPTION}: {path}: there is no stage in it")
    for number, document in documents:
        name = name_of(document) if isinstance(document, dict) and isinstance(document.get("metadata"), dict) else None
        where = f"{path}: document {number}{f' ({name})' if name else ''}"
        try:
            stage = read_document(document)
        except StageError as error:
            raise ConfigurationError(f"{OPTION}: {where}: {error}") from None
        if stage is not None:
            yield _Given(where, stage)


def read_document(document: Json) -> Stage | None:
    """The stage that a document of a file is; None for one that is played on nothing, or is no stage but belongs to them."""
    if not isinstance(document, dict):
        raise StageError("it is no object")
    if _is_beside_stages(document):
        return None
    kind, api_version = document.get("kind"), document.get("apiVersion")
    if kind != "Stage" or api_version not in _READERS:
        raise StageError(f"it is no Stage of {' or '.join(_READERS)}, but a {kind} of {api_version}")
    name = Fields(document.get("metadata") or {}, "metadata").text("name", required=True)
    if findings := dns_subdomain(name):
        raise StageError(f"metadata.name: {quoted(name[:80])} is no name: {findings[0]}")
    return _READERS[api_version](document)


def _is_beside_stages(document: Object) -> bool:
    """Whether a document is no stage, and stands in files of them all the same."""
    return document.get("kind") == "CustomResourceDefinition" or document.get("apiVersion") == KWOK_CONFIGURATION


def check_following(stage: Stage, stages: Mapping[str, Stage]) -> None:
    """Raises `StageError` where what is to come next is none of the stages, or can't be played on the same object."""
    for name in stage.following:
        if name not in stages:
            raise StageError(f"next: there is no stage {quoted(name)}{_meant(name, stages)}")
        if stages[name].of != stage.of:
            raise StageError(f"next: {name} is a stage of {stages[name].of.words}, this one is of {stage.of.words}")


def check_kind(of: ObjectKind, kinds: Mapping[str, Collection[str]]) -> None:
    """Raises `StageError` for a kind that there is not, and never will be: only groups with dots in their names may come later."""
    group = group_of(of.api_version)
    if group not in kinds and "." not in group:
        raise StageError(f"it is about {of.words}, and there is no group {quoted(group)}{_meant(group, kinds)}")
    if group in kinds and of.kind not in kinds[group]:
        raise StageError(f"it is about {of.words}, and there is no such kind{_meant(of.kind, kinds[group])}")


def _meant(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""


_READERS = {own_format.API_VERSION: own_format.read_own_stage, kwok_format.API_VERSION: kwok_format.read_kwok_stage}
