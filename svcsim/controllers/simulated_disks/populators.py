"""Who fills volumes from objects of other kinds: users bring such programs along, and say so in VolumePopulators, if they do."""

from svcsim.client.api import Client
from svcsim.client.discovery import ServedTypes
from svcsim.dialect import Dialect


class Populators:
    """The registered volume populators. There are none if the type isn't served."""

    def __init__(self, client: Client, served_types: ServedTypes, dialect: Dialect) -> None:
        self._client = client
        self._served_types = served_types
        self._type = (dialect.group("populator.storage"), "VolumePopulator")

    async def has_one_for(self, group: str, kind: str) -> bool:
        served = [one for one in (await self._served_types.current()).resources if (one.group, one.kind) == self._type]
        registered = [
            one for served_type in served for one in await self._client.resource(served_type.api_version, served_type.plural).list_all()
        ]
        kinds = [one.get("sourceKind") or {} for one in registered]
        return any((one.get("group") or "", one.get("kind")) == (group, kind) for one in kinds)
