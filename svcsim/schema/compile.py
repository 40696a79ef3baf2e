"""Schemas made ready to run: what every write goes through.

A `Struct` is compiled once into closures that read, complete and check objects; see ``decode``, ``defaults`` and ``validate``.
"""

import re
from dataclasses import dataclass

from svcsim.meta.errors import FieldError
from svcsim.meta.findings import told
from svcsim.meta.types import Object
from svcsim.schema.common import SHARED
from svcsim.schema.decode import Decode, Reading, decoder, flat_fields
from svcsim.schema.defaults import Default, filler
from svcsim.schema.quick_check import IsFine, quick_struct_checker
from svcsim.schema.scalars import WrongTypeError
from svcsim.schema.types import Struct
from svcsim.schema.validate import ChangeCheck, Check, change_checker, checker

_V1 = "v1"
_TYPE = re.compile(rf"\b{_V1}\.(\w+)")
_OF_ALL_GROUPS = frozenset((*[struct.name for struct in SHARED], "Time", "MicroTime"))


@dataclass(frozen=True, slots=True)
class Compiled:
    """One schema, ready to run on objects."""

    schema: Struct
    _decode: Decode
    _default: Default | None
    _is_fine: IsFine | None
    _check_change: ChangeCheck
    _field_names: tuple[str, ...]
    package: str = _V1
    """What error messages call the package of its types, but for those that all groups use: the version."""

    def decode(self, value: Object) -> tuple[Object, list[str]]:
        """A new object with the declared fields only, in declared order, and the paths of undeclared fields, which are left out.

        Nulls are dropped, or become zeros where they can't be dropped (in lists and maps), and zeros that mean the same as absence are
        dropped, too (`Field.zero_is_absence`). Quantities and times come out in the form they are stored in. Values of `Raw` fields are
        shared with ``value``, not copied. `StatusError` 400 for values of the wrong type.
        """
        reading = Reading()
        return self._read(value, reading), _told(reading)

    def decode_changed(self, value: Object, before: Object) -> tuple[Object, list[str]]:
        """`decode` for an object that was made from ``before``, which was decoded earlier: unchanged fields aren't decoded again.

        They are shared with ``before``, not copied. They are recognized by identity: a patch leaves other fields as they are.
        """
        changed = {name: part for name, part in value.items() if part is None or part is not before.get(name)}
        read, unknown = self.decode(changed)
        read.update((name, part) for name, part in value.items() if name not in changed)
        ordered = {name: read[name] for name in self._field_names if name in read}
        return (ordered if len(ordered) == len(read) else {**ordered, **read}), unknown

    def decode_as_written(self, value: Object) -> tuple[Object, list[str], bool]:
        """`decode` that keeps nulls and zeros that are never stored, because they have a meaning here; and whether there are any."""
        reading = Reading()
        reading.as_written = True
        return self._read(value, reading), _told(reading), reading.spelled_out

    def _read(self, value: Object, reading: Reading) -> Object:
        try:
            read: Object = self._decode(value, reading)
        except WrongTypeError as error:
            raise error.refusal(of_package=self._of_package) from None
        return read

    def _of_package(self, type_name: str) -> str:
        return type_name if self.package == _V1 else _TYPE.sub(self._of_its_package, type_name)

    def _of_its_package(self, found: re.Match[str]) -> str:
        return found[0] if found[1] in _OF_ALL_GROUPS else f"{self.package}.{found[1]}"

    def default(self, value: Object) -> None:
        """Fill in what was left out, in place: constants, then what depends on other fields, then the same further down.

        ``value`` is as `decode` made it.
        """
        if self._default:
            self._default(value)

    def validate(self, value: Object) -> list[FieldError]:
        """All that is wrong with an object; ``value`` is as `decode` and `default` left it."""
        if self._is_fine is None or self._is_fine(value):
            return []
        check = checker(self.schema)
        return _from_the_root(told(lambda found: check(value, "", found))) if check else []

    def validate_change(self, new: Object, old: Object) -> list[FieldError]:
        """All that is wrong with an object that was ``old`` before; what is as it was is not looked at again."""
        checks = self._check_change(new, old)
        return _from_the_root(told(lambda found: _ask(checks, new, found))) if checks else []


def _ask(checks: list[Check], value: Object, found: list[FieldError]) -> None:
    for check in checks:
        check(value, "", found)


def _told(reading: Reading) -> list[str]:
    return [path.removeprefix(".") for path in reading]


def _from_the_root(findings: list[FieldError]) -> list[FieldError]:
    return [finding if finding.path[:1] != "." else finding._replace(path=finding.path[1:]) for finding in findings]


def _field_names(struct: Struct) -> tuple[str, ...]:
    return tuple(field.name for field in flat_fields(struct))


def compile_struct(struct: Struct) -> Compiled:
    """A schema ready to run. Whoever runs it keeps it: it refers to the schema, so that nothing of it may be kept there."""
    return Compiled(
        struct,
        decoder(struct),
        filler(struct),
        quick_struct_checker(struct),
        change_checker(struct),
        _field_names(struct),
    )
