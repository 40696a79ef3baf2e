"""Numbers within what a flag says, such as the ports of ``--tcp=80:8080``."""

from svcsim.cli.failure import CommandError
from svcsim.meta import go_integers


def read_decimal(text: str) -> int:
    """A whole number, or the complaint that a wrong one gets."""
    try:
        return go_integers.read_decimal(text, 64)
    except ValueError as error:
        raise CommandError(str(error)) from None


def read_unsigned(text: str, bits: int) -> int:
    """A whole number without a sign, or the complaint that a wrong one gets."""
    try:
        return go_integers.read_unsigned(text, bits)
    except ValueError as error:
        raise CommandError(str(error)) from None
