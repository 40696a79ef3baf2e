"""PodMetrics: the usage of a pod's containers at the time of the request."""

from svcsim.kinds.groups import METRICS_V1BETA1
from svcsim.kinds.metrics.columns import WINDOW, summed
from svcsim.kinds.shared.types import map_list
from svcsim.registry.kind import Column, Kind
from svcsim.schema.types import Field, Map, Quantity, Str, Struct, Time

_CONTAINER = Struct(
    "ContainerMetrics",
    Field(1, "name", Str(), "Name of the container", required=True),
    Field(2, "usage", Map(Quantity()), "Usage by resource: cpu and memory", required=True),
    doc="Resource usage of a container",
)

POD_METRICS = Kind(
    METRICS_V1BETA1,
    "pods",
    Struct(
        "PodMetrics",
        Field(2, "timestamp", Time(), "When it was measured", required=True),
        Field(0, "window", Str(), "Length of the time that ends then, over which the usage is an average", required=True),
        Field(4, "containers", map_list(_CONTAINER, "name"), "Usage of each container that runs", required=True),
        doc="Resource usage of a pod. It is worked out when somebody asks, and not stored",
    ),
    columns=(
        Column("cpu", summed("cpu"), doc="CPU that the pod's containers use together"),
        Column("memory", summed("memory"), doc="Memory that the pod's containers use together"),
        WINDOW,
    ),
    served=True,
    worked_out=True,
)
