"""What tables show of usage."""

from functools import reduce
from operator import add

from svcsim.kinds.shared.columns import text_at
from svcsim.meta import quantity
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Cell, Column, Context

WINDOW = Column("Window", text_at("window"), doc="Length of the time over which the usage is an average")


def summed(resource: str) -> Cell:
    """How much all containers use of a resource together."""

    def cell(obj: Object, context: Context) -> Json:
        used = [quantity.of(one["usage"][resource]) for one in obj.get("containers") or () if resource in one["usage"]]
        return str(reduce(add, used, quantity.ZERO))

    return cell
