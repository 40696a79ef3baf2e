"""NodeMetrics: the usage of a node at the time of the request."""

from svcsim.kinds.groups import METRICS_V1BETA1
from svcsim.kinds.metrics.columns import WINDOW
from svcsim.kinds.shared.columns import text_at
from svcsim.registry.kind import Column, Kind
from svcsim.schema.types import Field, Map, Quantity, Str, Struct, Time

NODE_METRICS = Kind(
    METRICS_V1BETA1,
    "nodes",
    Struct(
        "NodeMetrics",
        Field(2, "timestamp", Time(), "When it was measured", required=True),
        Field(0, "window", Str(), "Length of the time that ends then, over which the usage is an average", required=True),
        Field(4, "usage", Map(Quantity()), "Usage by resource: cpu and memory", required=True),
        doc="Resource usage of a node. It is worked out when somebody asks, and not stored",
    ),
    namespaced=False,
    columns=(
        Column("cpu", text_at("usage.cpu"), doc="CPU that the node uses"),
        Column("memory", text_at("usage.memory"), doc="Memory that the node uses"),
        WINDOW,
    ),
    served=True,
    worked_out=True,
)
