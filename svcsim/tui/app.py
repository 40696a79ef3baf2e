"""The dashboard as a program: opens the way to the cluster, shows the first table, and closes up afterwards.

`main` is all that the command line calls. Who opens the transport decides how the cluster is reached; the dashboard can't tell.
"""

import os
import sys
from collections.abc import Callable
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from svcsim.client.transport import Transport
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.tui.backend import Backend
from svcsim.tui.model.resource_types import PODS
from svcsim.tui.model.views import View
from svcsim.tui.screens.browser import Browser
from svcsim.tui.screens.pager import Pager


def main(open_transport: Callable[[], Transport], dialect: Dialect, namespace: str, title: str) -> int:
    """Run the dashboard until the user leaves; its exit status.

    ``open_transport`` is called once, inside the event loop; the dashboard closes what it gives. ``namespace`` is where to begin, empty
    for all. ``title`` is what the cluster is called.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        sys.stderr.write("error: the dashboard needs a terminal; to print objects use: svcsim get\n")
        return 1
    app = Dashboard(open_transport, dialect, namespace, title)
    app.run()
    return app.return_code or 0


class Dashboard(App[None]):
    """The application: one browser, and what is laid over it."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "quit", "Quit", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", show=False, priority=True),
    ]
    CSS = """
    ToastRack { align: right bottom; margin-bottom: 3; }
    """

    def __init__(self, open_transport: Callable[[], Transport], dialect: Dialect, namespace: str, title: str) -> None:
        # Without colours nothing but the terminal's own may be used, not even shades of grey.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.animation_level = "none"
        self.title = title
        self._open_transport = open_transport
        self._dialect = dialect
        self._namespace = namespace
        self._backend: Backend | None = None

    def on_mount(self) -> None:
        """Open the way, and show pods."""
        backend = self._backend = Backend(self._open_transport(), self._dialect, self.title)
        backend.on_back = self._follow_again
        self.run_worker(backend.time.run(backend.clock), group="time")
        self.run_worker(self._learn(backend), group="learn")
        self.push_screen(Browser(backend, View(PODS, self._namespace)))

    def _follow_again(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, Pager):
                screen.follow_again()

    async def on_unmount(self) -> None:
        """Let go of the connections."""
        if self._backend is not None:
            await self._backend.close()

    @staticmethod
    async def _learn(backend: Backend) -> None:
        """Ask what there is ahead of the first question; if that fails now, the first question asks again and tells."""
        try:
            await backend.learn()
        except (StatusError, ConnectionError):
            return
