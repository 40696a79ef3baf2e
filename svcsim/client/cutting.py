"""Cutting a stream of pieces into lines, for those who wait for bytes and those who await them."""


class LineCutter:
    """Takes pieces as they come and gives the lines that are complete, without their line ends."""

    def __init__(self) -> None:
        self._held: list[bytes] = []

    def feed(self, piece: bytes) -> list[bytes]:
        """Lines that this piece completes."""
        if b"\n" not in piece:
            self._held.append(piece)
            return []
        first, *lines = piece.split(b"\n")
        rest = lines.pop()
        if self._held:
            first = b"".join((*self._held, first))
        self._held = [rest] if rest else []
        return [first, *lines]

    def rest(self) -> list[bytes]:
        """The last line, if the stream ends without a line end."""
        last = b"".join(self._held)
        return [last] if last else []
