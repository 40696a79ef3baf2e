"""The way in, for ``svcsim`` and ``python -m svcsim``.

Ctrl-C ends a command quietly from its first moment on, while it is still being loaded. So nothing is imported here before that is seen to
but what is built into Python: on a busy machine even ``signal`` and ``typing`` take long enough to be interrupted.
"""

import _signal  # type: ignore[import-not-found]  # what signal is made of; nobody has written down its types


def main() -> None:
    """Load the command line and run it."""
    quiet = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler  # who starts us may want it ignored
    if quiet:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    import orjson  # noqa: F401 - every command needs it, and it crashes when an exception comes up while it is loaded

    from svcsim.cli.main import main as run  # what takes time

    if quiet:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    run()
