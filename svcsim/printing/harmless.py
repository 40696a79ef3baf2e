"""What others wrote, made fit to be printed in a message on a terminal."""


def harmless(text: str) -> str:
    """The text without what could steer a terminal: it may quote the command line, a file or a server."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(char: str) -> str:
    if (char < " " and char not in "\n\t") or char == "\x7f":
        return f"^{chr(ord(char) ^ 0x40)}"
    return f"\\x{ord(char):02x}" if "\x80" <= char <= "\x9f" else char
