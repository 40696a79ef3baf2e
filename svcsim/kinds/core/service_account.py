"""ServiceAccount: whom pods act as."""

from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import AGE
from svcsim.kinds.shared.references import LOCAL_OBJECT_REFERENCE, OBJECT_REFERENCE
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Column, Context, Kind
from svcsim.schema.types import Bool, Field, List, Struct


def _secrets(obj: Object, context: Context) -> Json:  # noqa: ARG001 - a cell's signature
    return len(obj.get("secrets") or ())


SERVICE_ACCOUNT = Kind(
    "ServiceAccount",
    CORE_V1,
    "serviceaccounts",
    Struct(
        "ServiceAccount",
        Field(
            2,
            "secrets",
            List(OBJECT_REFERENCE, kind="map", keys=("name",), merge_key="name", unique=False),
            "Secrets pods of this account may use (deprecated)",
        ),
        Field(3, "imagePullSecrets", List(LOCAL_OBJECT_REFERENCE, kind="atomic"), "Secrets for pulling images, given to its pods"),
        Field(4, "automountServiceAccountToken", Bool(), "Whether its pods get a token mounted; pods may say otherwise"),
        doc="An identity that pods act under",
    ),
    short=("sa",),
    singular="serviceaccount",
    columns=(Column("Secrets", _secrets, doc="Number of secrets"), AGE),
    deletes_to_object=True,
    doc="An identity that pods act under",
)
