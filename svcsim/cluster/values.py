"""The types that a setting of a cluster can have: how each is written on a command line and in JSON, and what to say where it is neither.

Reading raises `ValueError`; what to tell people then is `Value.refusal`, because only the reader knows what the setting is called there.
These are plain classes: making a dataclass of each would cost every command that starts a cluster some milliseconds.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from svcsim import limits
from svcsim.meta.names import dns_subdomain
from svcsim.meta.networks import Network, parse_networks
from svcsim.meta.times import format_duration, format_micro_time, parse_duration, parse_given_time
from svcsim.meta.types import Json
from svcsim.wall import wall_time

T = TypeVar("T")
Word = TypeVar("Word", bound=str)

_PORT_RANGE = re.compile(r"([0-9]{1,5})([-+])([0-9]{1,5})", re.ASCII)
_FOREVER = "forever"
_LAST_PORT = 65_535
_INT64 = (-(2**63), 2**63 - 1)
"""What every reader of JSON keeps exact that keeps whole numbers at all."""


class Value(ABC, Generic[T]):
    """A type of values."""

    @property
    @abstractmethod
    def refusal(self) -> str:
        """What to say to another value: a template with ``{label}``, ``{name}`` and ``{value}``."""

    @property
    def words(self) -> tuple[str, ...]:
        """Values worth completing."""
        return ()

    def from_option(self, given: Json) -> T:
        """The value that the command line's parser found: text, unless it knows the type (numbers, switches, lists of texts)."""
        return self.from_json(given)

    @abstractmethod
    def from_json(self, value: Json) -> T:
        """The value that stands in a JSON file."""

    def to_json(self, value: T) -> Json:
        """As `from_json` reads it."""
        return value


class String(Value[str]):
    """Any text."""

    refusal: ClassVar[str] = "{label} is a string, not {value}"

    def from_json(self, value: Json) -> str:
        if not isinstance(value, str):
            raise ValueError
        return value


class Choice(Value[Word]):
    """One of some words."""

    def __init__(self, choices: tuple[Word, ...]) -> None:
        self.choices = choices

    @property
    def refusal(self) -> str:
        return f"unknown {{name}} {{value}}; there are: {', '.join(self.choices)}"

    @property
    def words(self) -> tuple[str, ...]:
        return self.choices

    def from_json(self, value: Json) -> Word:
        for choice in self.choices:
            if choice == value:
                return choice
        raise ValueError


class Integer(Value[int]):
    def __init__(self, minimum: int | None = None, maximum: int | None = None) -> None:
        self.minimum = minimum
        self.maximum = maximum

    @property
    def refusal(self) -> str:
        least, most = self._bounds()
        return f"{{label}} is a whole number from {least} to {most}, not {{value}}"

    def from_json(self, value: Json) -> int:
        least, most = self._bounds()
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise ValueError
        return value

    def _bounds(self) -> tuple[int, int]:
        return (_INT64[0] if self.minimum is None else self.minimum, _INT64[1] if self.maximum is None else self.maximum)


class Boolean(Value[bool]):
    refusal: ClassVar[str] = "{label} is true or false, not {value}"

    def from_json(self, value: Json) -> bool:
        if not isinstance(value, bool):
            raise ValueError
        return value


class Switch(Value[bool]):
    """True or false, written out behind the option as Kubernetes' programs have it: ``--anonymous-auth=false``."""

    refusal: ClassVar[str] = "{label} is true or false, not {value}"

    words: ClassVar[tuple[str, ...]] = ("true", "false")

    def from_option(self, given: Json) -> bool:
        return self.from_json({"true": True, "false": False}.get(str(given).lower()))

    def from_json(self, value: Json) -> bool:
        return Boolean().from_json(value)


class StringList(Value[tuple[str, ...]]):
    """Texts without commas: an option that may be given often, or once with commas between them."""

    refusal: ClassVar[str] = "{label} is a list of strings, not {value}"

    def from_json(self, value: Json) -> tuple[str, ...]:
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise ValueError
        return tuple(part.strip() for item in items for part in item.split(",") if part.strip())

    def to_json(self, value: tuple[str, ...]) -> Json:
        return list(value)


class SomeOfAll(StringList):
    """What is chosen of all there is, by name: at least one word. None at all is more likely a shell's variable that isn't set."""

    refusal: ClassVar[str] = "{label} takes names with commas between them, * for all, -* for none; not {value}"

    def from_json(self, value: Json) -> tuple[str, ...]:
        given = super().from_json(value)
        if not given:
            raise ValueError
        return given


class UniqueNames(StringList):
    """Names, each once and at least one; given like texts."""

    refusal: ClassVar[str] = "{label} takes names, each once, with commas between them; not {value}"

    def from_json(self, value: Json) -> tuple[str, ...]:
        given = super().from_json(value)
        if not given or len(dict.fromkeys(given)) != len(given) or any(dns_subdomain(name) for name in given):
            raise ValueError
        return given


class Words(Value[tuple[Word, ...]]):
    """Some of a few words, each once, in an order that counts; given like texts."""

    def __init__(self, choices: tuple[Word, ...]) -> None:
        self.choices = choices

    @property
    def refusal(self) -> str:
        return f"{{label}} takes some of {', '.join(self.choices)}, each once, with commas between them; not {{value}}"

    @property
    def words(self) -> tuple[str, ...]:
        return self.choices

    def from_json(self, value: Json) -> tuple[Word, ...]:
        given = StringList().from_json(value)
        known: dict[str, Word] = {choice: choice for choice in self.choices}
        if not given or len(dict.fromkeys(given)) != len(given) or not all(word in known for word in given):
            raise ValueError
        return tuple(known[word] for word in given)

    def to_json(self, value: tuple[Word, ...]) -> Json:
        return list(value)


class Texts(StringList):
    """Texts of any sort: an option that is given once for each, since commas may be part of one."""

    def from_json(self, value: Json) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ValueError
        return tuple(value)


class ClusterNetworks(Value[tuple[Network, ...]]):
    """One network in CIDR notation, or two of different IP families with a comma between them."""

    refusal: ClassVar[str] = (
        "{label} is one network, or two of different IP families with a comma between them, "
        "such as 10.244.0.0/16,fd00:10:244::/56; not {value}"
    )

    def from_json(self, value: Json) -> tuple[Network, ...]:
        if not isinstance(value, str):
            raise ValueError
        found = parse_networks(map(str.strip, value.split(",")))
        families = [network.version for network in found]
        if len(found) != len(value.split(",")) or len(dict.fromkeys(families)) != len(families):
            raise ValueError
        return found

    def to_json(self, value: tuple[Network, ...]) -> Json:
        return ",".join(map(str, value))


class AnyNetworks(ClusterNetworks):
    """The same, or none that are asked for."""

    def from_json(self, value: Json) -> tuple[Network, ...]:
        return () if value is None else super().from_json(value)

    def to_json(self, value: tuple[Network, ...]) -> Json:
        return super().to_json(value) if value else None


class Networks(ClusterNetworks):
    """The same, each with room for Services."""

    refusal: ClassVar[str] = (
        "{label} is one network, or two of different IP families with a comma between them, each of at least "
        f"{limits.SERVICE_NETWORK_ADDRESSES} addresses, and of IPv6 at most a /{limits.SERVICE_NETWORK_IPV6_PREFIX}, "
        "such as 10.96.0.0/16,fd00:10:96::/112; not {value}"
    )

    def from_json(self, value: Json) -> tuple[Network, ...]:
        found = super().from_json(value)
        if any(network.num_addresses < limits.SERVICE_NETWORK_ADDRESSES for network in found):
            raise ValueError
        if any(network.version == 6 and network.prefixlen < limits.SERVICE_NETWORK_IPV6_PREFIX for network in found):
            raise ValueError
        return found


class PortRange(Value[range]):
    """Ports from a first to a last one, both included; also written as the first one and how many follow, ``30000+2767``."""

    refusal: ClassVar[str] = "{label} is a range of ports such as 30000-32767, not {value}"

    def from_json(self, value: Json) -> range:
        parts = _PORT_RANGE.fullmatch(value) if isinstance(value, str) else None
        if parts is None:
            raise ValueError
        first, second = int(parts[1]), int(parts[3])
        last = second if parts[2] == "-" else first + second
        if not 1 <= first <= last <= _LAST_PORT:
            raise ValueError
        return range(first, last + 1)

    def to_json(self, value: range) -> Json:
        return f"{value.start}-{value.stop - 1}"


class FilePath(Value[Path | None]):
    """A path, absolute wherever it is written down; the empty one is none at all."""

    refusal: ClassVar[str] = "{label} is an absolute path, not {value}"

    def from_option(self, given: Json) -> Path | None:
        if not given:  # a shell's variable that isn't set
            raise ValueError
        return self.from_json(str(Path(given).expanduser().absolute()))

    def from_json(self, value: Json) -> Path | None:
        if not isinstance(value, str) or "\0" in value or (value and not Path(value).is_absolute()):
            raise ValueError
        return Path(value) if value else None

    def to_json(self, value: Path | None) -> Json:
        return str(value or "")


class FilePaths(Value[tuple[Path, ...]]):
    """Paths, each as `FilePath` has it: an option that may be given often."""

    refusal: ClassVar[str] = "{label} is a list of absolute paths, not {value}"

    def from_option(self, given: Json) -> tuple[Path, ...]:
        found = tuple(FilePath().from_option(one) for one in given)
        return tuple(path for path in found if path is not None)

    def from_json(self, value: Json) -> tuple[Path, ...]:
        if not isinstance(value, list) or not all(value):
            raise ValueError
        found = tuple(FilePath().from_json(one) for one in value)
        return tuple(path for path in found if path is not None)

    def to_json(self, value: tuple[Path, ...]) -> Json:
        return [str(path) for path in value]


class FilesOrNames(Value[tuple[str, ...]]):
    """Things that are ready, by their names, and files of them, by absolute paths: an option that may be given often."""

    refusal: ClassVar[str] = "{label} is a list of names and of paths to files, not {value}"

    def __init__(self, is_ready: Callable[[str], object]) -> None:
        self._is_ready = is_ready
        """Whether something that is ready has that name."""

    def from_option(self, given: Json) -> tuple[str, ...]:
        return self.from_json([self.meant(one, Path()) for one in given])

    def meant(self, given: str, directory: Path) -> str:
        """The name or the path that somebody in a directory means: what has neither a slash nor an ending may still be a file there."""
        path = (directory / Path(given).expanduser()).absolute()
        is_path = "/" in given or "." in given or (not self._is_ready(given) and path.is_file())
        return str(path) if is_path else given

    def from_json(self, value: Json) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(one, str) and one and "\0" not in one for one in value):
            raise ValueError
        if any("/" in one and not Path(one).is_absolute() for one in value):
            raise ValueError
        return tuple(value)

    def to_json(self, value: tuple[str, ...]) -> Json:
        return list(value)


class Duration(Value[float]):
    """A span of time in seconds. Older versions kept a number."""

    refusal: ClassVar[str] = "{label} takes a duration such as 5m or 1h, not {value}"

    def from_json(self, value: Json) -> float:
        if isinstance(value, str):
            value = parse_duration(value)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= limits.LONGEST_HISTORY_S:
            raise ValueError
        return float(value)

    def to_json(self, value: float) -> Json:
        text = format_duration(value)
        text = text.removesuffix("0s") if text.endswith("m0s") else text
        return text.removesuffix("0m") if text.endswith("h0m") else text


class DurationOrForever(Value[float | None]):
    """A span of time in seconds; None is for ever. Older versions kept null for that."""

    def __init__(self, least_s: float = 0.0) -> None:
        self.least_s = least_s

    @property
    def refusal(self) -> str:
        least = f" of {format_duration(self.least_s)} or more," if self.least_s else ""
        return f"{{label}} takes a duration{least} such as 5m or 1h, or forever; not {{value}}"

    def from_json(self, value: Json) -> float | None:
        if value is None or value == _FOREVER:
            return None
        span_s = Duration().from_json(value)
        if span_s < self.least_s:
            raise ValueError
        return span_s

    def to_json(self, value: float | None) -> Json:
        return _FOREVER if value is None else Duration().to_json(value)


class ClockSpeed(Value[float]):
    """Cluster seconds per second; 0 is paused."""

    refusal: ClassVar[str] = (
        f"{{label}} is real, paused, or a speed from x{limits.SLOWEST_PACE:g} to x{limits.FASTEST_PACE:g}, not {{value}}"
    )

    words: ClassVar[tuple[str, ...]] = ("real", "paused", "x10")

    def from_json(self, value: Json) -> float:
        if value in ("real", "paused"):
            return 1.0 if value == "real" else 0.0
        if not isinstance(value, str) or not value.startswith("x"):
            raise ValueError
        speed = float(value[1:])
        if not limits.SLOWEST_PACE <= speed <= limits.FASTEST_PACE:
            raise ValueError
        return speed

    def to_json(self, value: float) -> Json:
        return {1.0: "real", 0.0: "paused"}.get(value) or f"x{value!r}".removesuffix(".0")


class Timestamp(Value[float]):
    """A moment, in seconds since the epoch, to the microsecond; on the command line also ``now``, the machine's time.

    None before the epoch: all times of a cluster count from there, and 0 stands for none.
    """

    refusal: ClassVar[str] = "{label} is a time in 1970 or later, such as 2026-01-01T00:00:00Z, not {value}"

    def from_option(self, given: Json) -> float:
        return wall_time() if given == "now" else self.from_json(given)

    def from_json(self, value: Json) -> float:
        if not isinstance(value, str):
            raise ValueError
        moment = parse_given_time(value)
        if moment < 0:
            raise ValueError
        return moment

    def to_json(self, value: float) -> Json:
        return format_micro_time(value)


class Nullable(Value[T | None]):
    """Another type's value, or none."""

    def __init__(self, inner: Value[T]) -> None:
        self.inner = inner

    @property
    def refusal(self) -> str:
        return self.inner.refusal

    @property
    def words(self) -> tuple[str, ...]:
        return self.inner.words

    def from_option(self, given: Json) -> T | None:
        return self.inner.from_option(given)

    def from_json(self, value: Json) -> T | None:
        return None if value is None else self.inner.from_json(value)

    def to_json(self, value: T | None) -> Json:
        return None if value is None else self.inner.to_json(value)
