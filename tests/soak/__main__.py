"""``python -m tests.soak PROGRAM [COUNT] [SEED]``: run one of the long programs; without a seed, one is drawn and printed."""

import importlib
import sys

from svcsim.chance import Chance

PROGRAMS = {"kills": 300, "images": 20_000, "damage": 10_000, "faults": 1_000, "fuzz": 500_000}
"""Each with how often it strikes where nothing else is asked for."""
USAGE = f"usage: python -m tests.soak ({'|'.join(PROGRAMS)}) [COUNT] [SEED]"


def main(arguments: list[str]) -> int:
    if not 1 <= len(arguments) <= 3 or arguments[0] not in PROGRAMS or not all(word.isdigit() for word in arguments[1:]):
        print(USAGE, file=sys.stderr)
        return 2
    name, *numbers = arguments
    count = int(numbers[0]) if numbers else PROGRAMS[name]
    seed = int(numbers[1]) if len(numbers) > 1 else Chance().integer(0, 999_999)
    print(f"{name}: {count}, seed {seed}", flush=True)
    print(importlib.import_module(f"tests.soak.{name}").main(count, seed))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
