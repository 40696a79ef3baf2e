"""What stages have in store for one object as it is, for who asks why: which comes next and when, or what each of them needs."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from svcsim import limits
from svcsim.clock import format_time
from svcsim.meta.types import Object
from svcsim.nodes.staged.stage import Stage


class Coming(NamedTuple):
    """The stage that comes next for an object."""

    stage: Stage
    due: float
    failure: str = ""
    """What was told when it couldn't be played on the object as it is."""
    is_held: bool = False
    """Whether nothing becomes of the object meanwhile."""


def outlook(obj: Object, stages: Sequence[Stage], coming: Coming | None, *, lives: bool) -> Object:
    """In JSON. ``lives`` says whether the object lives by stages, of which none may come next."""
    told: Object = {"lives": lives, "deletes": any(stage.deletes for stage in stages)}
    if coming is not None:
        stage = coming.stage
        told["next"] = {"stage": stage.name, "at": format_time(coming.due), "deletes": stage.deletes, "held": coming.is_held}
        passed_over = [one.message for one in stage.delay_mistakes(obj)]
        if passed_over:
            told["passedOver"] = passed_over
        return {**told, "failure": coming.failure} if coming.failure else told
    matching = [stage.name for stage in stages if stage.matches(obj)]
    if matching:
        return {**told, "played": matching[: limits.STAGES_TOLD]} if lives else told
    unlike = {stage.name: needs for stage in stages if (needs := list(stage.unlike(obj)))}
    unmet = {stage.name: list(stage.unmet(obj)) for stage in stages if stage.name not in unlike}
    return {**told, "unmet": _first(unmet), "about": len(unmet), "unlike": _first(unlike), "aboutOthers": len(unlike)}


def _first(needs: Mapping[str, list[str]]) -> list[Object]:
    """The stages that need least, and what that is."""
    nearest = sorted(needs, key=lambda name: len(needs[name]))[: limits.STAGES_TOLD]
    return [{"stage": name, "needs": needs[name]} for name in nearest]
