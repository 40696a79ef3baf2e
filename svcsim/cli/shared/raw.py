"""``--raw``: a plain request to a path of the server, in place of what a command does otherwise."""

from svcsim.cli.failure import CommandError


def check_raw_path(address: str) -> None:
    """Refuse what no request can be made to."""
    if not address.startswith(("/", "http://", "https://")):
        path = address.partition("?")[0]
        raise CommandError(f'--raw must be a valid URL path: parse "{path}": invalid URI for request')
