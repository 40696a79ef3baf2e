"""What a stage in the life of a container leads to."""

from typing import Literal, NamedTuple

from svcsim.nodes.containers.stage_names import PlayedStage


class Next(NamedTuple):
    """The stage that follows, and after how long; no stage means that nothing comes of itself."""

    stage: PlayedStage | Literal[""] = ""
    after_s: float = 0.0


NOTHING = Next()
