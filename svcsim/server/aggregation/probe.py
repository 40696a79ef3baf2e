"""Asking an aggregated server whether it is available, and what it serves: one request answers both."""

from svcsim import limits
from svcsim.meta.aside import aside
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.resource_lists import decode_entries
from svcsim.meta.types import GroupVersion, Object, User
from svcsim.outbound.outbound import Outbound
from svcsim.outbound.remote import DEFAULT_PORT, OutboundError, Reached, UnreachableServiceError
from svcsim.server.aggregation.proxy import passed_on
from svcsim.server.aggregation.remotes import Description, Remotes, RemoteVersion

_WORDS = {
    "ServiceNotFound": 'service/{name} in "{namespace}" is not present',
    "ServicePortError": 'service/{name} in "{namespace}" is not listening on port {port}',
}
"""What is said of the service of an APIService, by the reason, where those who aggregate say otherwise than those who connect."""
_ASKER = User("system:kube-aggregator", ("system:masters",))


class Probe:
    """Asks, and keeps what was said for discovery."""

    def __init__(self, outbound: Outbound, remotes: Remotes) -> None:
        self._outbound = outbound
        self._remotes = remotes

    async def check(self, api_service: Object) -> Reached:
        """Whether the server behind an APIService answers; a reason, and what there is to say."""
        version = self._remotes.remote_of(api_service)
        assert version is not None, "this server need not ask itself"
        request = passed_on(Request("GET", f"/apis/{version.group_version}", headers={"accept": "application/json"}), _ASKER)
        url, service = f"{version.remote.base}{request.path}", {"port": DEFAULT_PORT, **(api_service["spec"].get("service") or {})}
        try:
            answer = await self._outbound.call(version.remote, request, deadline_s=limits.AVAILABILITY_WAIT_S)
        except UnreachableServiceError as error:
            return Reached(False, error.reason, _WORDS[error.reason].format(**service) if error.reason in _WORDS else str(error))
        except OutboundError as error:
            return Reached(False, "FailedDiscoveryCheck", f"failing or missing response from {url}: {error}")
        if not 200 <= answer.status < 300:
            return Reached(False, "FailedDiscoveryCheck", f"failing or missing response from {url}: bad status from {url}: {answer.status}")
        await self._learn(version.group_version, answer)
        await self._read_description(version)
        await self._find_document(version)
        return Reached(True, "Passed", "all checks passed")

    async def _read_description(self, version: RemoteVersion) -> None:
        """What it says of itself, if it says anything; read anew when that has changed."""
        known = self._remotes.descriptions.get(version.group_version)
        headers = {"accept": "application/json", **({"if-none-match": known.etag} if known is not None and known.etag else {})}
        request = passed_on(Request("GET", "/openapi/v2", headers=headers), _ASKER)
        try:
            answer = await self._outbound.call(version.remote, request, deadline_s=limits.AVAILABILITY_WAIT_S)
            document = await aside(len(answer.body), decode_json, answer.body) if answer.status == 200 else None
        except (OutboundError, StatusError):
            return  # it need not have one
        if isinstance(document, dict) and version.group_version in self._remotes.versions:
            description = Description(document, answer.headers.get("etag", ""))
            if description != known:
                self._remotes.describe(version.group_version, description)

    async def _find_document(self, version: RemoteVersion) -> None:
        """Whether its own index has a document about this version: one that isn't there must not be in ours."""
        request = passed_on(Request("GET", "/openapi/v3", headers={"accept": "application/json"}), _ASKER)
        try:
            answer = await self._outbound.call(version.remote, request, deadline_s=limits.AVAILABILITY_WAIT_S)
            index = await aside(len(answer.body), decode_json, answer.body) if answer.status == 200 else None
        except OutboundError:
            return  # not a word about it
        except StatusError:
            index = None
        paths = index.get("paths") if isinstance(index, dict) else None
        there = isinstance(paths, dict) and f"apis/{version.group_version}" in paths
        self._remotes.document(version.group_version, there=there)

    async def _learn(self, group_version: GroupVersion, answer: Response) -> None:
        entries = await aside(len(answer.body), decode_entries, answer.body)
        if entries is not None and group_version in self._remotes.versions:
            self._remotes.learn(group_version, entries.good)
