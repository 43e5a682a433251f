"""What the table's screen shows over itself: the log, everything else, the names, a typed line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from kivy.app import App
from kivy.factory import Factory
from kivy.metrics import dp
from kivy.properties import StringProperty

from companion.core.notation import is_private_line, reader_of
from mobile.model.steps import Action
from mobile.resources import texts
from mobile.widgets.basic import Act, Grid, Sheet, Words, offer, saying
from mobile.widgets.fields import action_title
from mobile.widgets.host import Place, TableHost
from mobile.widgets.ui import load_layout

LINES_A_LABEL = 20


class LogSheet(Sheet):
    """Every line that everybody may read.

    Args:
        lines: the newest first.
    """

    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        # One long label would not fit a texture.
        for start in range(0, len(lines), LINES_A_LABEL):
            part = "\n".join(lines[start : start + LINES_A_LABEL])
            self.ids.lines.add_widget(Words(text=part))


class MoreSheet(Sheet):
    """Everything that is not needed all the time, in groups.

    Args:
        quiet: what guidance offers and the screen does not show.
    """

    def __init__(self, screen: TableHost, quiet: tuple[Action, ...]) -> None:
        super().__init__()
        self._screen = screen
        table = screen.table
        assert table is not None
        self._steps(texts.ALSO_POSSIBLE, quiet)
        # A late hand goes by another verb than guidance names: what does the same is offered once.
        said = {action_title(table, action) for action in table.steps}
        rare = [action for action in table.others() if action_title(table, action) not in said]
        for title, places in screen.places():
            self._group(title, places, wide=False)
        self._steps(texts.RARELY_NEEDED, rare)
        self._group("", [(texts.TYPE, lambda: TypeSheet(screen).open(animation=False))])

    def _group(self, title: str, places: Sequence[Place], *, wide: bool = True) -> list[Act]:
        """Buttons under a heading, two beside each other where they are short."""
        if not places:
            return []
        if title:
            self.ids.body.add_widget(Words(text=title, tone="muted"))
        em = App.get_running_app().ui.em
        cols = 1 if wide or self.width < em * 16 else 2
        box = Grid(cols=cols, spacing=dp(8))
        self.ids.body.add_widget(box)
        return [offer(box, text, partial(self._leave, go)) for text, go in places]

    def _steps(self, title: str, actions: Sequence[Action]) -> None:
        """Actions under a heading."""
        screen, table = self._screen, self._screen.table
        assert table is not None
        places = [(action_title(table, one), partial(screen.start, one)) for one in actions]
        for action, button in zip(actions, self._group(title, places), strict=True):
            button.action = action

    def _leave(self, go: Callable[[], object]) -> None:
        self.dismiss(animation=False)
        go()


class TypeSheet(Sheet):
    """A line in the notation, typed."""

    error = StringProperty()
    example = StringProperty()

    def __init__(self, screen: TableHost) -> None:
        super().__init__()
        self._screen = screen
        assert screen.table is not None
        self.example = f"{screen.table.setup.players[0]}: …"

    def watch(self, line: str) -> None:
        """A line that only one player may read is typed on behind that player's cover."""
        table = self._screen.table
        if table is None or not is_private_line(line):
            return
        with saying(self, "error"):
            seat = reader_of(table.setup, f"{line.split('*', maxsplit=1)[0]}*:")
            self.ids.line.text = ""
            self.dismiss(animation=False)
            App.get_running_app().type_secretly(seat)

    def record(self, line: str) -> None:
        """Records a typed line, or says why not."""
        table = self._screen.table
        if table is None or not line.strip():
            return
        if self._screen.type(line.strip()):
            self.dismiss(animation=False)
        else:
            self.error, table.message = table.message, ""
            self._screen.refresh()


class NamesSheet(Sheet):
    """The players' names, which may change at any time."""

    error = StringProperty()

    def __init__(self, screen: TableHost) -> None:
        super().__init__()
        self._screen = screen
        assert screen.table is not None
        for name in screen.table.setup.players:
            self.ids.names.add_widget(Factory.Field(text=name))

    def keep(self) -> None:
        """Takes the names over, or says what is wrong with them."""
        table = self._screen.table
        names = tuple(field.text.strip() for field in reversed(self.ids.names.children))
        if table is None:
            return
        old = table.setup.players
        with saying(self, "error"):
            table.rename(names)
            if table.session is not None:
                App.get_running_app().services.names_changed(old, names)
            self.dismiss(animation=False)
            self._screen.refresh()


load_layout(__file__)
