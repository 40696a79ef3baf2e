"""The way in, for ``svcsim`` and ``python -m svcsim``.

Ctrl-C ends a command quietly from its first moment on, while it is still being loaded.
"""

import signal
from typing import NoReturn


def main() -> NoReturn:
    """Load the command line and run it."""
    quiet = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # who starts us may want it ignored
    if quiet:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from svcsim.cli.main import main as run  # what takes time

    if quiet:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()
