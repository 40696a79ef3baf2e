"""How mistakes in expressions are told, as the CEL library and Kubernetes do."""


def type_name(name: str) -> str:
    """A type as CEL spells it: ``list(string)``."""
    return "null_type" if name == "NULL" else name.lower().replace("<", "(").replace(">", ")")


def told(error: str) -> str:
    """The library's own words, without how it classifies them."""
    return error.removeprefix("INVALID_ARGUMENT: ").removesuffix(" [INVALID_ARGUMENT]")


def at_offset(text: str, offset: int, what: str) -> str:
    """As the library tells of a mistake: its place, and the line with a mark below."""
    line = text[:offset].count("\n")
    column = offset - (text.rfind("\n", 0, offset) + 1)
    shown = text.split("\n")[line]
    return f"ERROR: <input>:{line + 1}:{column + 1}: {what}\n | {shown}\n | {'.' * column}^"
