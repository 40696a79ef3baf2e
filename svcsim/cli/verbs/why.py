"""``why``: tells in plain words why objects are in the state they are in, down to the cause, and what comes next."""

import shlex
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import NamedTuple

from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.flags import Flag
from svcsim.cli.shared.arguments import UNNAMED
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.discovery import lookup
from svcsim.cli.shared.own_server import is_own
from svcsim.cli.shared.paused_clock import how_to_resume
from svcsim.cli.shared.select import ALL_FLAG, ALL_NAMESPACES_FLAG, FIELD_SELECTOR_FLAG, SELECTOR_FLAG, select
from svcsim.cli.shared.session import Session
from svcsim.client.paths import WHY as WHY_PATH
from svcsim.dialect import Dialect
from svcsim.meta.codec import encode_yaml
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import name_of, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.values import indented_json
from svcsim.printing.why.explanation import Explained, Why
from svcsim.printing.why.text import as_json, lines

_FORMATS = ("json", "yaml")
_OWNED_BY_NOBODY = ("componentstatuses", "endpoints", "events")
"""Types that aren't asked for what an object owns: there are very many of them, or asking is warned of."""


class _Beside(NamedTuple):
    """Reads what an explanation needs beside what the user has named. See `svcsim.printing.describe.reader.Reader`."""

    session: Session

    @property
    def dialect(self) -> Dialect:
        return self.session.dialect

    def get(self, path: str, query: Mapping[str, str | int] | None = None) -> Object:
        return self.session.get_beside(path, query)


class Around:
    """A session's cluster. See `svcsim.printing.why.explanation.Surroundings`."""

    def __init__(self, session: Session) -> None:
        self.reader = _Beside(session)
        self._session = session
        self._own: bool | None = None
        self.way = "".join(f" {shlex.quote(word)}" for word in session.which.way())

    def known(self, obj: Object) -> Object:
        if self._own is None:
            self._own = self._is_own()
        named = {"apiVersion": str(obj.get("apiVersion", "")), "kind": str(obj.get("kind", ""))}
        return self._session.get(WHY_PATH, {**named, "namespace": namespace_of(obj), "name": name_of(obj)}) if self._own else {}

    def _is_own(self) -> bool:
        try:
            return is_own(self._session)
        except StatusError:  # svcsim tells everybody what it is
            return False

    def now(self) -> float:
        return self._session.time.now()

    def collections(self, namespace: str) -> Iterable[str]:
        for resource in self._session.discovery.resources:
            if resource.plural in _OWNED_BY_NOBODY or not resource.preferred or "list" not in resource.verbs:
                continue
            if resource.namespaced or not namespace:
                yield resource.path(namespace)


def run(call: Call) -> None:
    """Explain what is named."""
    options, session = call.options, call.session
    output = options.text("output").lower()
    if output not in ("", *_FORMATS):
        told = f'unable to match a printer suitable for the output format "{output}", allowed formats are: {",".join(_FORMATS)}'
        raise CommandError(told)
    if not call.args:
        raise CommandError(UNNAMED)
    selection = select(call, whole=True)
    why = Why(Around(session), in_passing=not selection.single)
    explained = [why.explain(item.obj) for item in selection.items]
    errors: list[Exception] = []
    for error in selection.errors:
        gone = _gone(session, why, error)
        explained += [gone] if gone else []
        errors += [] if gone else [error]
    if output:
        shown = [as_json(one) for one in explained]
        whole = shown[0] if selection.single and shown else shown
        session.out.write(encode_yaml(whole).decode() if output == "yaml" else indented_json(whole, in_order=True) + "\n")
    else:
        for one in explained:
            session.out.writelines(f"{line}\n" for line in lines(one, session.time.now(), with_namespace=options.on("all-namespaces")))
        if any(not one.verdict.fine or one.verdict.then for one in explained) and (how := how_to_resume(session)):
            session.out.write(f"Nothing moves: the clock is paused. To let it go on: {how}\n")
        if not explained and not errors:
            session.err.write(f"No resources found\n{session.which.doubt()}")
    raise_all(errors)


def _gone(session: Session, why: Why, error: Exception) -> Explained | None:
    """A named object that no longer exists, as far as something is known of it."""
    details: Object = (error.details if isinstance(error, StatusError) and error.code == HTTPStatus.NOT_FOUND else None) or {}
    found = lookup(session.discovery.resources, f"{details.get('kind', '')}.{details.get('group', '')}".rstrip("."))
    if not details.get("name") or found is None:
        return None
    return why.explain_gone(found.api_version, found.kind, session.namespace if found.namespaced else "", details["name"])


WHY = Command(
    "why",
    "why (TYPE/NAME... | TYPE [NAME... | -l label]) [flags]",
    "Tell in plain words why objects are in the state they are in, and what comes next.",
    (
        ALL_FLAG,
        ALL_NAMESPACES_FLAG,
        SELECTOR_FLAG,
        FIELD_SELECTOR_FLAG,
        Flag("output", doc="The output format: json or yaml.", short="o", choices=_FORMATS),
    ),
    run,
    completes="resource",
)
