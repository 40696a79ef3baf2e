"""The browser: one table at a time, the ways from it to others, and what can be done to the chosen object."""

from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from svcsim.client.discovery import ApiResource
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.tui.backend import Backend
from svcsim.tui.feeds.objects import DescriptionFeed, YamlFeed
from svcsim.tui.feeds.table_feed import Connection, TableFeed
from svcsim.tui.feeds.texts import LogFeed, TextFeed
from svcsim.tui.model.resource_types import NAMESPACES, PODS
from svcsim.tui.model.rows import Row
from svcsim.tui.model.table import Sort, TableModel
from svcsim.tui.model.views import History, View, default_sort, drill_down, events_of, next_sort
from svcsim.tui.screens.destinations import Destinations
from svcsim.tui.screens.frames import Frames
from svcsim.tui.screens.keys import ASKING, BROWSE, bar, bindings
from svcsim.tui.screens.pager import Pager
from svcsim.tui.screens.questions import Help, Question
from svcsim.tui.widgets.bars import KeyBar, TitleBar, TopBar, clock_text
from svcsim.tui.widgets.prompt import Prompt
from svcsim.tui.widgets.table import TableView

_LEAVE = ("q", "quit", "exit")


class Browser(Screen[None]):
    """Shows one view, and remembers those before it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(BROWSE)

    def __init__(self, backend: Backend, view: View) -> None:
        super().__init__()
        self.view = view
        self._backend = backend
        self._destinations = Destinations(backend, self._tell)
        self._history = History()
        self._model = TableModel()
        self._frames = Frames(self, self._draw)
        self._feed = self._make_feed()
        self._top = TopBar(backend.cluster)
        self._title_bar = TitleBar()
        self._table = TableView()
        self._prompt = Prompt()

    def compose(self) -> ComposeResult:
        yield from (self._top, self._title_bar, self._table, self._prompt)
        yield KeyBar(bar(BROWSE))

    def on_mount(self) -> None:
        self._show(self.view)
        self.set_interval(1.0, self._frames.want)
        self._table.focus()

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """While something is typed, the keys that begin to ask are letters like others."""
        return action not in ASKING or not self._prompt.display

    @property
    def connection(self) -> Connection:
        """How the following goes."""
        return self._feed.connection

    # --- from view to view ---

    def open(self, view: View) -> None:
        """Look at something else; the way back leads here."""
        self._history.push(self._as_it_stands())
        self._show(view)

    def _as_it_stands(self) -> View:
        return self.view._replace(filter_text=self._model.filter_text, sort=self._model.sort, cursor=self._table.cursor_key)

    def _show(self, view: View) -> None:
        self.view = view
        self._model = TableModel()
        self._model.set_filter(view.filter_text)
        self._feed = self._make_feed()
        self._table.use(self._model, show_namespace=view.across_namespaces, cursor=view.cursor)
        self.run_worker(self._feed.run(), group="feed", exclusive=True)
        self._update_bars()

    def _make_feed(self) -> TableFeed:
        backend = self._backend
        return TableFeed(backend.client, backend.clock, backend.chance, backend.time, self.view, self._frames.want, backend.on_back)

    def _draw(self) -> None:
        batch = self._feed.take()
        first = not self._model.columns
        if batch.whole is not None:
            self._model.replace(batch.columns, batch.whole)
            if first:
                self._model.set_sort(self.view.sort or default_sort(batch.columns))
        if batch.changes:
            self._model.apply(batch.changes)
        self._table.nothing = self._nothing() if self._feed.synced else ""
        self._table.now = self._backend.time.now()  # ages go on while nothing happens
        if batch.whole is not None or batch.changes:
            self._table.model_changed()
        else:
            self._table.refresh()
        self._update_bars()

    def _nothing(self) -> str:
        if self._model.total:
            return f"none of {self._model.total} {self.view.resource.plural} has /{self._model.filter_text}"
        return f"no {self.view.resource.plural} here"

    def on_screen_resume(self) -> None:
        """In sight again: show what has changed meanwhile."""
        self._frames.want()

    def _update_bars(self) -> None:
        self._top.set_status(self.connection, clock_text(self._backend.time.now(), self._backend.time.speed))
        view, model = self.view, self._model
        where = f" in {view.namespace}" if view.namespace else " in all namespaces" if view.resource.namespaced else ""
        title = view.resource.plural + (f" of {view.subject}" if view.subject else "") + where
        count = str(model.total) if len(model) == model.total else f"{len(model)} of {model.total}"
        details = [count] if self._feed.synced else [f"loading {self._feed.loading or ''}".strip()]
        if model.left_out:
            details.append(f"{model.left_out} more left out")
        if model.filter_text:
            details.append(f"/{model.filter_text}")
        if model.sort.column is not None and model.sort.column < len(model.columns):
            details.append(f"by {model.columns[model.sort.column].name.lower()}")
        if self._table.max_scroll_x:
            details.append("← → for more")
        if self.connection.problem:
            details.insert(0, self.connection.problem)
        self._title_bar.set_title(title, " · ".join(details))

    # --- typed answers ---

    def action_command(self) -> None:
        self._learn()
        self._prompt.ask("command", ":", completer=self._destinations.complete_command)

    def on_paste(self, event: events.Paste) -> None:
        """A pasted command or filter is typed for whoever pasted it."""
        text = next(iter(event.text.splitlines()), "")
        if text.startswith(":"):
            self._prompt.ask("command", ":", text[1:], self._destinations.complete_command)
        elif text.startswith("/"):
            self._prompt.ask("filter", "/", text[1:])
            self._set_filter(text[1:])

    def action_filter(self) -> None:
        """Ask what rows must have."""
        self._prompt.ask("filter", "/", self._model.filter_text)

    def action_namespace(self) -> None:
        self._learn()
        if self.view.resource.namespaced:
            self._prompt.ask("namespace", "namespace:", completer=self._destinations.complete_namespace)
        else:
            self.notify(f"{self.view.resource.plural} belong to no namespace", timeout=2)

    @on(Prompt.Changed)
    def _typing(self, event: Prompt.Changed) -> None:
        if event.purpose == "filter":
            self._set_filter(event.text)

    @on(Prompt.Cancelled)
    def _cancelled(self, event: Prompt.Cancelled) -> None:
        if event.purpose == "filter":
            self._set_filter("")
        self._table.focus()

    @on(Prompt.Submitted)
    async def _submitted(self, event: Prompt.Submitted) -> None:
        self._table.focus()
        text = event.text.strip()
        if event.purpose == "filter":
            self._set_filter(event.text)
        elif event.purpose == "namespace" and text:
            namespace = await self._destinations.namespace(text, event.only)
            if namespace is not None:
                self._go_to_namespace(namespace)
        elif event.purpose == "command" and text:
            await self._command(text, event.only)

    async def _command(self, text: str, only: str) -> None:
        if text in _LEAVE:
            self.app.exit()
        elif text == "help":
            self.action_help()
        elif (view := await self._destinations.view(text, only, self.view)) is not None:
            self.open(view)

    def _set_filter(self, text: str) -> None:
        self._model.set_filter(text)
        self._table.nothing = self._nothing() if self._feed.synced else ""
        self._table.model_changed()
        self._update_bars()

    def _go_to_namespace(self, namespace: str) -> None:
        if namespace != self.view.namespace:
            self.open(self._as_it_stands()._replace(namespace=namespace, cursor=None, label_selector="", field_selector="", subject=""))

    # --- order and columns ---

    def action_all_namespaces(self) -> None:
        if self.view.resource.namespaced:
            self._go_to_namespace("")

    def action_sort(self) -> None:
        """The order by the next column."""
        self._sort(next_sort(self._model.sort, self._model.columns, self._table.visible_columns()))

    def action_reverse(self) -> None:
        self._sort(self._model.sort._replace(descending=not self._model.sort.descending))

    @on(TableView.TitleClicked)
    def _sort_by(self, event: TableView.TitleClicked) -> None:
        """The order by the column that was clicked; the other way round where it is that already."""
        column = None if self._model.columns[event.column].is_name else event.column
        sort = self._model.sort
        self._sort(sort._replace(descending=not sort.descending) if sort.column == column else Sort(column))

    def _sort(self, sort: Sort) -> None:
        self._model.set_sort(sort)
        self._table.model_changed()
        self._table.choose(0)  # a new order is asked for to see what comes first
        self._update_bars()

    def action_wide(self) -> None:
        """All columns, or the usual ones."""
        self._table.toggle_wide()

    # --- the chosen object ---

    @on(TableView.Opened)
    def action_drill(self) -> None:
        """Go into the chosen object."""
        row = self._chosen()
        if row is not None:
            self._drill(self.view.resource, row)

    @work(group="action", exclusive=True)
    async def _drill(self, resource: ApiResource, row: Row) -> None:
        obj = await self._get(resource, row)
        if obj is None:
            return
        behind = drill_down(resource, obj, self._backend.types)
        if behind is None:
            self._describe(resource, row)
        else:
            self.open(behind)

    def action_describe(self) -> None:
        row = self._chosen()
        if row is not None:
            self._describe(self.view.resource, row)

    def action_yaml(self) -> None:
        """Show the chosen object as YAML."""
        row = self._chosen()
        if row is not None:
            backend = self._backend
            self._read(YamlFeed(backend.client, backend.clock, backend.chance, self.view.resource, row.key))

    def _describe(self, resource: ApiResource, row: Row) -> None:
        backend = self._backend
        self._read(DescriptionFeed(backend.client, backend.clock, backend.chance, backend.time, resource, row.key))

    def _read(self, *feeds: TextFeed) -> None:
        self.app.push_screen(Pager(self._backend, list(feeds), lambda: self.connection))

    def action_events(self) -> None:
        """What happened to the chosen object."""
        row = self._chosen()
        if row is not None:
            self.open(events_of(self.view.resource, row.key, row.uid))

    def action_logs(self) -> None:
        """What the chosen pod says."""
        row = self._chosen()
        if row is None:
            return
        if self.view.resource.plural != PODS.plural:
            self.notify("only pods have logs; enter shows the pods of a workload", timeout=3)
            return
        self._logs(self.view.resource, row)

    @work(group="action", exclusive=True)
    async def _logs(self, resource: ApiResource, row: Row) -> None:
        pod = await self._get(resource, row)
        if pod is None:
            return
        spec, backend = pod.get("spec") or {}, self._backend
        names = [container["name"] for container in [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]]
        self._read(*(LogFeed(backend.client, backend.clock, backend.chance, row.key, name) for name in names or [""]))

    def action_delete(self) -> None:
        """Delete the chosen object, if that is really meant."""
        row = self._chosen()
        if row is not None:
            self._delete(self.view.resource, row)

    @work(group="delete")
    async def _delete(self, resource: ApiResource, row: Row) -> None:
        where = f" in {row.key.namespace}" if row.key.namespace else ""
        everything = " and everything in it" if resource.plural == NAMESPACES.plural and not resource.group else ""
        if not await self.app.push_screen_wait(Question(f"Delete {resource.singular} {row.key.name}{where}{everything}?", "delete it")):
            self.notify("nothing was deleted", timeout=2)
            return
        collection = self._backend.client.resource(resource.api_version, resource.plural, row.key.namespace)
        try:
            await collection.delete(row.key.name, propagation="Background", uid=row.uid)
        except (StatusError, ConnectionError) as error:
            self._show_error(error)
        else:
            self.notify(f"{resource.singular} {row.key.name} is being deleted", timeout=3)

    def _chosen(self) -> Row | None:
        row = self._table.cursor_row
        if row is None:
            self.notify("there is nothing here", timeout=2)
        return row

    async def _get(self, resource: ApiResource, row: Row) -> Object | None:
        """The whole object; None, and a word about it, if it can't be had."""
        try:
            return await self._backend.client.resource(resource.api_version, resource.plural, row.key.namespace).get(row.key.name)
        except (StatusError, ConnectionError) as error:
            self._show_error(error)
            return None

    def _learn(self) -> None:
        """Ask the server what it has while something is typed."""
        self.run_worker(self._destinations.learn(), group="learn", exclusive=True)

    def _show_error(self, error: StatusError | ConnectionError) -> None:
        self._tell(str(error) or "the connection broke off")

    def _tell(self, trouble: str) -> None:
        self.notify(trouble, severity="error", markup=False)

    # --- leaving ---

    def action_help(self) -> None:
        self.app.push_screen(Help(BROWSE))

    def action_back(self) -> None:
        """Drop the filter, or go back to the view before; at the first there is nowhere to go."""
        if self._model.filter_text:
            self._set_filter("")
        elif (before := self._history.pop()) is not None:
            self._show(before)

    def action_leave(self) -> None:
        """Go back to the view before; from the first, quit."""
        if (before := self._history.pop()) is not None:
            self._show(before)
        else:
            self.app.exit()
