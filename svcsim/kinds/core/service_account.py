"""ServiceAccount: the identity of pods towards the API server."""

from svcsim.kinds.authentication.token_request import TOKEN
from svcsim.kinds.core.service_account_strategy import create, update
from svcsim.kinds.groups import CORE_V1
from svcsim.kinds.shared.columns import AGE, length_at
from svcsim.kinds.shared.references import LOCAL_OBJECT_REFERENCE, OBJECT_REFERENCE
from svcsim.kinds.shared.types import map_list
from svcsim.registry.kind import Column, Kind, Strategy
from svcsim.schema.types import Bool, Field, List, Struct

SERVICE_ACCOUNT = Kind(
    CORE_V1,
    "serviceaccounts",
    Struct(
        "ServiceAccount",
        Field(
            2,
            "secrets",
            map_list(OBJECT_REFERENCE, "name"),
            "Secrets that pods of this account may use (deprecated)",
        ),
        Field(
            3,
            "imagePullSecrets",
            List(LOCAL_OBJECT_REFERENCE, list_type="atomic"),
            "Secrets with registry credentials, given to pods of this account for pulling images",
        ),
        Field(4, "automountServiceAccountToken", Bool(), "Whether a token is mounted into pods of this account; a pod can override it"),
        doc="An identity for the processes in a pod",
    ),
    short=("sa",),
    columns=(Column("Secrets", length_at("secrets"), doc="Number of secrets"), AGE),
    subresources=(TOKEN,),
    strategy=Strategy(create=create, update=update),
    deletes_to_object=True,
)
