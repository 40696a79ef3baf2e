"""Single values as text, as query strings and field selectors have them."""


def query_text(value: object) -> str:
    """``true`` and ``false`` in small letters; all else as it prints."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
