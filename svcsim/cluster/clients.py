"""The clients that act in this process: the cluster's own components, each in its own name, and users who are acted as.

All of them ask the pipeline as clients on the wire do, and are authorized like those. A component gives way to clients on the wire, unless
it works for one of them or says that a node is there.
"""

from dataclasses import replace

from svcsim.auth.authentication import MASTERS
from svcsim.auth.known_user import known_user
from svcsim.auth.service_account_names import account_of_user, groups_of_account
from svcsim.client.api import Client
from svcsim.client.in_process import InProcessTransport
from svcsim.client.precedence import Precedence
from svcsim.cluster import identities
from svcsim.dialect import Dialect
from svcsim.meta.http import Handler, Request, Response
from svcsim.meta.types import User
from svcsim.nodes.machines.machine import Agent

_OF_CONTENT = ("accept", "content-", "transfer-")
"""How headers begin that say nothing of whoever asks."""


class Clients:
    """Makes a client for whoever acts."""

    def __init__(self, handler: Handler, precedence: Precedence, dialect: Dialect) -> None:
        self._handler = handler
        self._counted = precedence.counted(handler)
        self._precedence = precedence
        self._dialect = dialect

    def component(self, user: User, name: str, *, gives_way: bool = True, insider: bool = True) -> Client:
        """One of the cluster's own components. ``name`` is what it calls itself as a manager of fields."""
        precedence = self._precedence if gives_way else None
        return Client(InProcessTransport(self._counted, user, name, precedence, component=True, insider=insider), self._dialect)

    def administrator(self, name: str) -> Client:
        """Who runs the cluster: it may do everything."""
        return self.component(known_user(f"system:{name}", (MASTERS,)), name, insider=False)

    def api_server(self, *, gives_way: bool = True) -> Client:
        return self.component(identities.API_SERVER, self._dialect.api_server, gives_way=gives_way)

    def account(self, name: str, manager: str = "kube-controller-manager") -> Client:
        """A controller, by its name."""
        return self.component(identities.controller(name, self._dialect), manager)

    def agent(self, node: str) -> Agent:
        """The agent of a node, by the node's name."""
        user = identities.node(node)
        return Agent(self.component(user, "kubelet"), self.component(user, "kubelet", gives_way=False))

    def asker(self, request: Request) -> Client:
        """Whoever made a request, for what has to be asked in his name to answer it: known by the same headers and certificate."""

        async def ask(asked: Request) -> Response:
            headers = {name: value for name, value in request.headers.items() if not name.startswith(_OF_CONTENT)}
            headers["accept"] = "application/json"
            method, path, query = asked.method, asked.path, asked.query
            return await self._handler(
                replace(request, method=method, path=path, query=query, headers=headers, body=b"", unread=None, sender=None)
            )

        return Client(InProcessTransport(ask, request.user or User("")), self._dialect)

    def user(self, user: User, manager: str = "svcsim") -> Client:
        """A user of the cluster, who may do what that user may; a service account is in the groups of its namespace's.

        ``manager`` is by whom the fields are managed that the user sets.
        """
        account = account_of_user(user.name)
        groups = groups_of_account(account[0]) if account is not None and not user.groups else user.groups
        return Client(InProcessTransport(self._handler, known_user(user.name, groups, user.uid, user.extra), manager), self._dialect)
