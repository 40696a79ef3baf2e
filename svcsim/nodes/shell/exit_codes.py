"""The exit codes of a shell that mean something by themselves."""

from typing import Final

NOT_FOUND: Final = 127
"""There is no such command."""
NOT_EXECUTABLE: Final = 126
SYNTAX: Final = 2
"""The script has a syntax error, or a word of it can't be expanded."""
MISUSE: Final = 1
"""A program was given wrong arguments."""
TROUBLE: Final = 2
"""Something was wrong, in a program of which 1 is an answer."""
KILLED: Final = 137
"""A process was killed: 128, and the number of the signal."""
BROKEN_PIPE: Final = 141
