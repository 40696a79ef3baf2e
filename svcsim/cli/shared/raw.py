"""``--raw``: a plain request to a path of the server, in place of what a command does otherwise."""

import sys
from pathlib import Path

from svcsim.cli.failure import CommandError
from svcsim.cli.shared.command import Call


def check_raw_path(address: str) -> None:
    """Refuse what no request can be made to."""
    if not address.startswith(("/", "http://", "https://")):
        path = address.partition("?")[0]
        raise CommandError(f'--raw must be a valid URL path: parse "{path}": invalid URI for request')


def send_file(call: Call, method: str) -> None:
    """Send the one file of ``-f`` as it is to the path of ``--raw``, and print the answer."""
    options, address = call.options, call.options.text("raw")
    files = options.items("filename")
    if not files:
        raise CommandError("must specify one of -f and -k")
    if len(files) > 1:
        raise CommandError("--raw can only use a single local file or stdin")
    if files[0].startswith(("http://", "https://")):
        raise CommandError("--raw cannot read from a url")
    for name in ("recursive", "output"):
        if name in options.given:
            raise CommandError(f"--raw and --{name} are mutually exclusive")
    check_raw_path(address)
    try:
        body = sys.stdin.buffer.read() if files == ["-"] else Path(files[0]).read_bytes()
    except OSError as error:
        raise CommandError(f"open {files[0]}: {(error.strerror or str(error)).lower()}") from error
    call.session.out.write(call.session.send(method, address, body=body, raw=True).body.decode("utf-8", "replace"))
