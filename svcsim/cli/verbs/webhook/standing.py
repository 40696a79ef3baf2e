"""A webhook stays registered while its file changes, its cluster ends and comes back, and others delete or change what is registered.

Every such change is printed once.
"""

from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING

from svcsim.cli.failure import CommandError
from svcsim.cli.shared.own_server import is_own
from svcsim.cli.verbs.webhook.programs import Program
from svcsim.cli.verbs.webhook.registration import AskedAbout, Registration
from svcsim.cli.verbs.webhook.schemas import Schemas
from svcsim.cli.verbs.webhook.terminal import Terminal
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Json

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Session

Plan = Callable[[Mapping[str, Json]], AskedAbout]
"""How a webhook is to be asked, by what its file says of it. Raises `CommandError`."""


class Standing:
    """What is registered, and what was told of it. Its methods wait for the cluster: one is called at a time, in a thread."""

    def __init__(
        self,
        session: "Session",
        terminal: Terminal,
        registration: Registration,
        schemas: Schemas,
        program: Program,
        name: str,
        plan: Plan,
    ) -> None:
        self._session = session
        self._terminal = terminal
        self._registration = registration
        self._schemas = schemas
        self._program = program
        self._name = name
        self._plan = plan
        self._told = ""
        self._noted: tuple[str, ...] = ()
        self._wanted: AskedAbout | None = None
        self._gone = False
        self._trouble = ""

    def begin(self, wanted: AskedAbout) -> None:
        """Register it. Raises `StatusError`, `CommandError` and `ConnectionError`."""
        self._settle(wanted)
        self._told = self._asked_about(wanted)
        self._terminal.say(f"{self._told}; Ctrl-C ends it.")
        self._tell_notes(wanted)

    def settle_anew(self) -> str:
        """Register it as the file says, and tell of it. What in the file is a mistake, whatever the cluster does, is given back, too."""
        try:
            wanted = self._plan(self._program.settings)
        except CommandError as error:
            self._terminal.say(str(error))
            return str(error)
        except (StatusError, ConnectionError) as error:
            self._tell_failure(error)
            return ""
        try:
            self._settle(wanted)
        except (CommandError, StatusError, ConnectionError) as error:
            self._tell_failure(error)
            return ""
        if (told := self._asked_about(wanted)) != self._told:
            self._told = told
            self._terminal.say(f"{told} now.")
        self._tell_notes(wanted)
        return ""

    def see_to_cluster(self) -> None:
        """Tell it when the cluster is gone. When it is back, register again what it may have lost; and so what others take away."""
        if not self._is_there():
            self._lose_cluster()
        elif self._gone:
            self._gone = False
            self._terminal.say("The cluster is back.")
            self.settle_anew()
        else:
            self._see_to_others()

    def _lose_cluster(self) -> None:
        """It can't be reached, whatever was wanted of it. All that was left undone is done when it is back."""
        self._session.reconnect()
        if not self._gone:
            self._gone = True
            self._terminal.say("The cluster is gone; once it is back, it asks this webhook again.")

    def _tell_failure(self, error: CommandError | StatusError | ConnectionError) -> None:
        if isinstance(error, ConnectionError):
            self._lose_cluster()
        else:
            self._terminal.say(str(error))

    def _see_to_others(self) -> None:
        """Register again what others have deleted or changed. An object that they put in its place is reported, and left alone."""
        lost = ""
        try:
            lost = " and the ".join(self._registration.lost())
            if lost and self._wanted is not None:
                self._settle(self._wanted)
        except ConnectionError:
            self._lose_cluster()
            return
        except (CommandError, StatusError) as error:
            trouble = f"The {lost} by somebody else: {error}" if lost else str(error)
            if trouble != self._trouble:
                self._terminal.say(trouble)
            self._trouble = trouble
            return
        self._trouble = ""
        if lost:
            self._terminal.say(f"The {lost} by somebody else; it is registered again.")

    def _settle(self, wanted: AskedAbout) -> None:
        self._schemas.load(wanted.rules)
        self._registration.settle(self._program.functions, wanted)
        self._wanted = wanted

    def _is_there(self) -> bool:
        """Whether the cluster is there, and no other server listens in its place by now."""
        try:
            return is_own(self._session)
        except StatusError as error:
            return error.code < HTTPStatus.INTERNAL_SERVER_ERROR
        except (CommandError, ConnectionError):
            return False

    def _asked_about(self, wanted: AskedAbout) -> str:
        by_operations: dict[str, list[str]] = {}
        for rule in wanted.rules:
            named = map(partial(_named, rule["apiGroups"][0]), rule["resources"])
            by_operations.setdefault(", ".join(rule["operations"]), []).extend(named)
        about = " and ".join(f"{operations} of {', '.join(names)}" for operations, names in by_operations.items())
        where = f" in namespace {wanted.namespace}" if wanted.namespace else ""
        asked = " and ".join(self._program.functions)
        return f'Webhook "{self._name}" ({asked}) is asked about {about}{where}'

    def _tell_notes(self, wanted: AskedAbout) -> None:
        """Print the notes that weren't printed for an earlier registration."""
        for note in wanted.notes:
            if note not in self._noted:
                self._terminal.say(note)
        self._noted = wanted.notes


def _named(group: str, resource: str) -> str:
    """A resource of a rule as people name it: all those of a group with the group."""
    return f"*.{group}{resource[1:]}" if resource.startswith("*") and group != "*" else resource
