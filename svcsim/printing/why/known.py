"""Facts about an object that only a simulated cluster knows and no object has: its next stages, and the state of its machine.

They come from `svcsim.nodes.nodes.Nodes.tell`, and from the cluster, which knows the controllers that are switched off. For other clusters
there are none.
"""

from collections.abc import Iterator, Sequence

from svcsim import limits
from svcsim.meta.objects import is_terminating, labels_of, metadata_of, name_of
from svcsim.meta.pods import node_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.printing.why.verdict import Coming, Facts, Verdict, counted, do, sentence

KNOWN = "known"
"""Under this name the facts have it."""
_NEED_CHARS = 200
_UNSETTLED = "The cluster has just been started: what its stages have in store for it is known once they are in force."


def failure_of(facts: Facts) -> Object | None:
    """How the machine behind a Node, or a pod's node, was made to fail; None where it was not."""
    told: Object | None = _known(facts).get("failed")
    return told


def grace_over_at(pod: Object, facts: Facts) -> float | None:
    """When the grace period of a pod that is being deleted is over; None where its node is known not to have heard of that."""
    told = _known(facts).get("graceOver", metadata_of(pod)["deletionTimestamp"])
    return parse_time(str(told)) if told else None


def is_unmanned(facts: Facts) -> bool:
    """Whether nobody of the cluster's own reports how a Node is: no simulated machine is behind it, and it doesn't live by stages."""
    return _known(facts).get("machine") is False and not lives_by_stages(facts)


def has_lost_its_node(facts: Facts) -> bool:
    """Whether a simulated machine is known to be there whose Node, having been made, is gone."""
    return bool(_known(facts).get("registered"))


def controllers_off(facts: Facts) -> list[str]:
    """The controllers that are switched off."""
    told: list[str] = _known(facts).get("controllersOff") or []
    return told


def controllers_troubles(facts: Facts) -> dict[str, str]:
    """Why controllers couldn't bring an object of this name further when they tried last, by their names; of whatever kind it is."""
    told: dict[str, str] = _known(facts).get("troubles") or {}
    return told


def lives_by_stages(facts: Facts) -> bool:
    """Whether what becomes of the object is said by stages, and by nothing else."""
    return bool(_stages(facts).get("lives"))


def may_live_by_stages(facts: Facts) -> bool:
    """Whether that is so, or can't be known yet."""
    return lives_by_stages(facts) or bool(_stages(facts).get("unsettled"))


def is_ended_by_node(facts: Facts) -> bool:
    """Whether a pod that is being deleted is its node's to end; where nothing else is known, it is."""
    return not lives_by_stages(facts) and bool(_stages(facts).get("machine", True))


def with_stages(verdict: Verdict, obj: Object, facts: Facts, *, in_passing: bool = False) -> Verdict:
    """A verdict, and what stages have to say of it. In passing nobody asks why none comes next for an object that is as it should be."""
    told = _stages(facts)
    if wrong := told.get("wrong"):
        return verdict._replace(state="is played on nothing", fine=False, because=(sentence(wrong),))
    because: Sequence[str]
    then: Sequence[Coming]
    if told.get("unsettled") and not (verdict.fine and in_passing):
        because, then = (_UNSETTLED,), (Coming("they come in force"),)
    elif "next" in told:
        because, then = _coming(told, obj)
    else:
        because, then = () if verdict.fine and in_passing else tuple(_none_comes(told, obj, facts)), ()
    unreadable = tuple(_unreadable(told, obj))
    fine = verdict.fine and not told.get("failure") and not unreadable
    passed_over = (sentence(text) for text in told.get("passedOver", ()))
    return verdict._replace(fine=fine, because=(*verdict.because, *because, *passed_over, *unreadable), then=(*verdict.then, *then))


def _unreadable(told: Object, obj: Object) -> Iterator[str]:
    """The stages that would be about an object by its labels and aren't played."""
    found = [one for one in told.get("unreadable", ()) if one["labels"].items() <= labels_of(obj).items()]
    for one in found[: limits.STAGES_TOLD]:
        yield sentence(f"The stage {one['stage']} would be about it, and isn't played: {one['why']}")


def _known(facts: Facts) -> Object:
    return facts.one(KNOWN) or {}


def _stages(facts: Facts) -> Object:
    told: Object = _known(facts).get("stages") or {}
    return told


def _coming(told: Object, obj: Object) -> tuple[Sequence[str], Sequence[Coming]]:
    """A stage comes next."""
    stage, because = told["next"], list[str]()
    name, kind = stage["stage"], str(obj.get("kind", "")).lower()
    if is_terminating(obj) and not stage["deletes"]:
        because.append(f"The stage {name} comes next, and doesn't remove it{'' if told['deletes'] else '; no stage for its kind does'}.")
    if told.get("failure"):
        because.append(sentence(told["failure"]))
        does = f"unless the {kind} changes before, or the stages do, that stage is tried again"
    else:
        does = f"the stage {name} {'removes it' if stage['deletes'] else 'is played on it'}"
    if stage["held"]:
        whose = "it" if kind == "node" else "its node"
        return [*because, f"Nothing becomes of it while {whose} is down."], [Coming(f"{does} once {whose} is back")]
    return because, [Coming(does, parse_time(stage["at"]))]


def _none_comes(told: Object, obj: Object, facts: Facts) -> Iterator[str]:
    """No stage comes next for an object as it is."""
    if "played" in told:
        names = told["played"]
        many = do(len(names), f"The stage {names[0]} has", f"The stages {', '.join(names)} have")
        yield f"{many} been played on it as it is; what comes next depends on how it changes."
    if "unmet" not in told:
        return
    about, others = told["about"], told["aboutOthers"]
    yield f"{_none(about, others, lives=told['lives'])}{'' if told['lives'] else _instead(told, obj, facts)}."
    for lack in told["unmet"]:
        yield f"The stage {lack['stage']} needs {' and '.join(map(_short, lack['needs']))}."
    if about > len(told["unmet"]):
        yield f"And {counted(about - len(told['unmet']), 'other')} that {do(about - len(told['unmet']), 'needs', 'need')} more."
    if others:
        named = [f"{lack['stage']} (it needs {_short(lack['needs'][0])})" for lack in told["unlike"]]
        more = f" and {others - len(named)} more" if others > len(named) else ""
        yield f"{do(others, 'A stage is', 'Stages are')} about others of its kind: {', '.join(named)}{more}."


def _none(about: int, others: int, *, lives: bool) -> str:
    """That no stage matches, of so many that are about such objects, and so many about others of its kind."""
    if about:
        none = "the one stage about it doesn't match it" if about == 1 else f"none of the {about} stages about it matches it"
        none += " as it is"
    else:
        none = "the one stage for its kind isn't about it" if others == 1 else f"none of the {others} stages for its kind is about it"
    return f"No stage comes next: {none}" if lives else f"{none[0].upper()}{none[1:]}"


def _short(need: str) -> str:
    return need if len(need) <= _NEED_CHARS else f"{need[:_NEED_CHARS]}…"


def _instead(told: Object, obj: Object, facts: Facts) -> str:
    """What becomes of an object that no stage is for."""
    if obj.get("kind") != "Pod":
        return ""
    if told["machine"]:
        return f", so that its node {'ends it' if is_terminating(obj) else 'has it live'} as usual"
    if not is_terminating(obj):
        return f", and there is no simulated node behind {node_of(obj)}: nothing becomes of it"
    command = f"svcsim delete pod {name_of(obj)} --grace-period=0 --force{facts.way}"
    return f", and there is no simulated node behind {node_of(obj)} that would end it: it stays until it is taken away ({command})"
