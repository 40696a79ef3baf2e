"""What stands in a pod's own annotations and counts for nothing, in words for the pod's owner.

That are names nobody knows, containers that aren't there, values that can't be read. Who reads an annotation passes over what is wrong with
it; here is the one place where it is told.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches

from svcsim.meta.annotation_places import FAILING_PROBES, misplaced
from svcsim.meta.mistakes import listed, mistake, unknown, unreadable
from svcsim.meta.own_annotations import DOMAIN, own_annotation, own_annotations
from svcsim.meta.pods import CONTAINERS, containers_of
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object
from svcsim.meta.usage_words import METRIC_PREFIX, USAGE, check_metric, check_usage
from svcsim.nodes.containers.behaviour import BEHAVIOURS, FORMERLY, check_behaviour
from svcsim.nodes.containers.log_templates import LOGGING, check_logging
from svcsim.nodes.containers.probes import PROBES_THAT_FAIL, failing_probes


def check_probes(_name: str, text: str) -> None:
    """Raises `ValueError` for what is no probe."""
    words = failing_probes(text)
    if text and not words:
        raise ValueError(f"{quoted(text)} names none of {listed(PROBES_THAT_FAIL)}")
    for word in words:
        if word not in PROBES_THAT_FAIL:
            raise ValueError(f"{quoted(word)} is none of {listed(PROBES_THAT_FAIL)}")


_CHECKS: Mapping[str, Callable[[str, str], None]] = {
    **dict.fromkeys(BEHAVIOURS, check_behaviour),
    FAILING_PROBES: check_probes,
    **dict.fromkeys(LOGGING, check_logging),
    **dict.fromkeys(USAGE, check_usage),
}
"""Every annotation of ours that pods may have, in the order people read of them, and what finds out whether its value can be read."""
_OF_STAGED = (*LOGGING, *USAGE)
"""Those that count for pods that live by stages, too."""


def annotation_mistakes(pod: Object, told: Iterable[tuple[str, str]] = ()) -> list[str]:
    """What is wrong, but for what was ``told`` of."""
    names = _container_names(pod)
    news = _news(pod, told)
    return [mistake(key, why) for key, value in news if (why := _wrong(key, value, names) or _unprobed(key, value, pod))]


def staged_mistakes(pod: Object, asked_for: Collection[str], told: Iterable[tuple[str, str]] = ()) -> list[str]:
    """The same of a pod that lives by stages: nothing reads there what has containers behave, but for what the stages themselves ask for.

    Whether a stage can read the value of what it asks for, it tells when it comes to it.
    """
    names = _container_names(pod)
    news = [(key, value) for key, value in _news(pod, told) if key not in asked_for]
    return [mistake(key, why) for key, value in news if (why := _wrong_of_staged(key, value, names, asked_for))]


def _news(pod: Object, told: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    known = list(told)
    return [one for one in own_annotations(pod["metadata"].get("annotations")) if one not in known]


def _container_names(pod: Object) -> list[str]:
    return [container["name"] for container in containers_of(pod.get("spec") or {}, CONTAINERS)]


def _wrong_of_staged(key: str, value: str, containers: list[str], asked_for: Collection[str]) -> str:
    before, _, name = key.rpartition("/")
    if key.startswith(METRIC_PREFIX) or name in _OF_STAGED:
        return _wrong(key, value, containers)
    if name in _CHECKS or name in FORMERLY:
        return "it counts for nothing here: what becomes of the pod is said by stages, and by nothing else"
    if elsewhere := misplaced(key):
        return elsewhere
    beside = [one.rpartition("/")[2] for one in asked_for if one.rpartition("/")[0] == before]
    if beside:
        return unknown(key, name, beside)
    return unknown(key, key, get_close_matches(key, (*asked_for, *(f"{DOMAIN}/{one}" for one in _OF_STAGED)), 1))


def _wrong(key: str, value: str, containers: list[str]) -> str:
    about = own_annotation(key)
    assert about is not None, "it is one of ours"
    whom, name = about
    check = _CHECKS.get(name)
    if key.startswith(METRIC_PREFIX) and not (check and whom in containers):
        check = check_metric
    elif name in FORMERLY:
        return f"it is called {DOMAIN}/{FORMERLY[name]} now, and counts for nothing"
    elif check is None:
        return misplaced(key) or unknown(key, name, _CHECKS)
    elif whom not in ("", *containers):
        return f"the pod has no container {quoted(whom)}"
    try:
        check(name, value)
    except ValueError as error:
        return unreadable(error)
    return ""


def _unprobed(key: str, value: str, pod: Object) -> str:
    """Which probes an annotation has fail that none of the containers has that it is meant for."""
    about = own_annotation(key)
    if about is None or about.name != FAILING_PROBES:
        return ""
    kinds = CONTAINERS if about.container else ("containers",)
    meant = [one for one in containers_of(pod.get("spec") or {}, kinds) if about.container in ("", one["name"])]
    missing = [word for word in failing_probes(value) if not any(one.get(f"{word}Probe") for one in meant)]
    if not missing:
        return ""
    whose = f"the container {quoted(about.container)} has" if about.container else "its containers have"
    return f"{whose} no {' and no '.join(missing)} probe that could fail"
