"""Where a typed command or namespace leads. What doesn't exist is told, and leads nowhere."""

from collections.abc import Callable
from difflib import get_close_matches

from svcsim.client.discovery import ApiResource
from svcsim.meta.errors import StatusError
from svcsim.tui.backend import Backend
from svcsim.tui.model.commands import ALL_NAMESPACES, TypedCommandError, parse
from svcsim.tui.model.resource_types import NAMESPACES
from svcsim.tui.model.views import View


class Destinations:
    """Finds the view that is meant; ``tell`` is called with what is wrong.

    ``only`` is the one thing that what was typed may become, empty where there are several. It is taken where what was typed means
    nothing by itself.
    """

    def __init__(self, backend: Backend, tell: Callable[[str], None]) -> None:
        self._backend = backend
        self._tell = tell

    def complete_command(self, text: str) -> list[str]:
        """What a command may become: types, then namespaces."""
        before, blank, word = text.rpartition(" ")
        if blank:
            return [f"{before} {name}" for name in self.complete_namespace(word)]
        return self._backend.types.complete(word)

    def complete_namespace(self, text: str) -> list[str]:
        return [name for name in ("all", *self._backend.namespaces) if name.startswith(text)]

    async def learn(self) -> None:
        """Ask the server what it has."""
        try:
            await self._backend.learn()
        except (StatusError, ConnectionError) as error:
            self._tell(str(error))

    async def view(self, text: str, only: str, here: View) -> View | None:
        """The view a command leads to from another one."""
        try:
            command = parse(text.split())
        except TypedCommandError as error:
            self._tell(str(error))
            return None
        resource = await self._type(command.kind, only if only.startswith(text) else "")
        if resource is None:
            return None
        namespace: str | None = here.namespace if command.namespace is None else command.namespace
        if not resource.namespaced:
            namespace = ""
        elif command.namespace:
            namespace = await self.namespace(command.namespace, only.rpartition(" ")[2])
        if namespace is None:
            return None
        selector = command.label_selector
        return View(resource, namespace, label_selector=selector, subject=selector, filter_text=command.filter_text)

    async def namespace(self, word: str, only: str) -> str | None:
        """The namespace a word means, empty for all; None if there is none."""
        if word in ALL_NAMESPACES:
            return ""
        if word in self._backend.namespaces:
            return word
        if only != word and only.startswith(word):
            return "" if only in ALL_NAMESPACES else only
        try:
            await self._backend.client.resource(NAMESPACES.api_version, NAMESPACES.plural).get(word)
        except StatusError as error:
            if error.code == 404:
                closest = next(iter(get_close_matches(word, self._backend.namespaces, n=1)), "")
                self._tell(f'there is no namespace "{word}"{_hint(closest, "n and tab list them")}')
                return None
        except ConnectionError:
            pass  # the table itself tells that nobody answers
        return word  # also for who may not look at namespaces: one may still look into one

    async def _type(self, word: str, only: str) -> ApiResource | None:
        found = self._backend.types.find(word)
        if found is None:
            await self.learn()
            found = self._backend.types.find(word) or self._backend.types.find(only)
        if found is None:
            self._tell(f'the server has no type "{word}"{_hint(self._backend.types.closest(word), ": and tab list them")}')
        return found


def _hint(closest: str, otherwise: str) -> str:
    return f'; did you mean "{closest}"?' if closest else f"; {otherwise}"
