"""What makes expressions in webhook configurations and admission policies right.

Whether they can be compiled is found out in `compilation`, which is loaded when there is one: it takes long, and much memory.
"""

from collections.abc import Iterator

from svcsim.kinds.admissionregistration.expressions import Scope
from svcsim.meta.errors import FieldError


def expression_rules(text: str, path: str, scope: Scope, results: tuple[str, ...] = ()) -> Iterator[FieldError]:
    """What is wrong with an expression that has to come to one of these types, or to anything."""
    from svcsim.kinds.admissionregistration.compilation import compilation_rules  # noqa: PLC0415 - loads the CEL library, which most clusters never need

    yield from compilation_rules(text, path, scope, results)
