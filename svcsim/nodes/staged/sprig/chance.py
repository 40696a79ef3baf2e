"""Functions of the sprig library in which chance decides: it follows from the cluster's seed."""

import string
from collections.abc import Mapping

from svcsim.chance import Chance
from svcsim.meta.gotemplate.errors import CallError
from svcsim.meta.gotemplate.formatting import check_length
from svcsim.meta.gotemplate.functions import KnownFunction
from svcsim.meta.types import Json
from svcsim.nodes.staged.sprig.values import integer, text_of

_ALPHABETS = {
    "randAlpha": string.ascii_letters,
    "randAlphaNum": string.ascii_letters + string.digits,
    "randAscii": "".join(map(chr, range(32, 127))),
    "randNumeric": string.digits,
}


def by_chance(chance: Chance) -> Mapping[str, KnownFunction]:
    """The functions by name."""

    def drawn(alphabet: str, count: Json) -> str:
        check_length(integer(count))
        return "".join(chance.choice(alphabet) for _ in range(integer(count)))

    def number(low: Json, high: Json) -> int:
        if integer(high) <= integer(low):
            raise CallError("invalid argument to Intn")
        return chance.integer(integer(low), integer(high) - 1)

    def shuffled(text: Json) -> str:
        letters = list(text_of(text))
        for index in range(len(letters) - 1, 0, -1):
            other = chance.integer(0, index)
            letters[index], letters[other] = letters[other], letters[index]
        return "".join(letters)

    def of(alphabet: str) -> KnownFunction:
        return KnownFunction(lambda count: drawn(alphabet, count), 1, 1)

    return {
        **{name: of(alphabet) for name, alphabet in _ALPHABETS.items()},
        "randInt": KnownFunction(number, 2, 2),
        "shuffle": KnownFunction(shuffled, 1, 1),
        "uuidv4": KnownFunction(chance.uid, 0, 0),
    }
