"""The text filter: words that a row must have, and with ``!`` in front words that it must not have."""

from typing import NamedTuple


class TextFilter(NamedTuple):
    """A filter as typed, taken apart. Capitals don't count."""

    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "TextFilter":
        """Take apart what was typed."""
        words = text.lower().split()
        return cls(
            tuple(word for word in words if not word.startswith("!")),
            tuple(word[1:] for word in words if word.startswith("!") and len(word) > 1),
        )

    def matches(self, haystack: str) -> bool:
        """Whether a text, in small letters, passes."""
        for word in self.wanted:
            if word not in haystack:
                return False
        return not any(word in haystack for word in self.unwanted)
