"""Which of the nodes a pod can go to is the best.

Each score gives every such node a number; the numbers are brought to 0..100, weighted and added. All scores stand in one tuple. Where
nodes end up equal, chance decides, seeded, so that the same run decides the same again.
"""

from svcsim.scheduler.devices.scores import DEVICE_SCORE
from svcsim.scheduler.fit import BALANCED_ALLOCATION, LEAST_ALLOCATED
from svcsim.scheduler.node_rules import IMAGE_LOCALITY, NODE_AFFINITY_SCORE, TAINT_SCORE
from svcsim.scheduler.pod_affinity import AFFINITY_SCORE
from svcsim.scheduler.rules import Score
from svcsim.scheduler.spreading import SPREAD_SCORE

SCORES: tuple[Score, ...] = (
    TAINT_SCORE,
    NODE_AFFINITY_SCORE,
    LEAST_ALLOCATED,
    SPREAD_SCORE,
    AFFINITY_SCORE,
    BALANCED_ALLOCATION,
    IMAGE_LOCALITY,
    DEVICE_SCORE,
)
