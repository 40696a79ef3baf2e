"""``ui``: opens the dashboard on a cluster. What it needs to be drawn is imported here, and by no other command."""

from typing import Annotated

import typer

from svcsim.cli.failure import CommandError, ExitRequest
from svcsim.cli.own.parameters import ClusterOption, ContextOption, KubeconfigOption, Name, NamespaceOption, connect, one_name
from svcsim.client.kubeconfig import Access

AllNamespaces = Annotated[bool, typer.Option("--all-namespaces", "-A", help="Start with the objects of all namespaces.")]


def ui(
    name: Name = "",
    cluster: ClusterOption = "",
    kubeconfig: KubeconfigOption = "",
    context: ContextOption = "",
    namespace: NamespaceOption = "",
    all_namespaces: AllNamespaces = False,
) -> None:
    """Open the dashboard."""
    session = connect(one_name(name, cluster), kubeconfig=kubeconfig, context=context, namespace=namespace)
    access, dialect = session.access, session.dialect
    begin_in = "" if all_namespaces else session.namespace
    home = session.which.cluster()
    session.close()
    from svcsim.client.moving import MovingTransport
    from svcsim.tui.app import main

    def access_now() -> Access | None:
        """Where the cluster is now, which may have been made anew meanwhile."""
        session.reconnect()
        try:
            return session.access
        except CommandError:
            return None

    title = home.name if home else context or access.server
    raise ExitRequest(main(lambda: MovingTransport(access, access_now), dialect, begin_in, title))
