"""Settings: appearance, text size, suits; and what happens with pictures."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from kivy.app import App
from kivy.properties import BooleanProperty, ObjectProperty, StringProperty
from kivy.uix.screenmanager import Screen

from mobile.android.device import is_android, is_dark
from mobile.model import exports, sharing
from mobile.model.settings import LANGUAGES, TEXT_SCALES, Settings
from mobile.resources import licences, texts
from mobile.widgets.basic import Sheet, Words, ask, offer, offer_choices, saying
from mobile.widgets.ui import load_layout


class LicencesSheet(Sheet):
    """What the app is made of, and under which licences."""

    def __init__(self) -> None:
        super().__init__()
        self.list_parts()

    def list_parts(self) -> None:
        """Every part, each a button where its package brings the full text."""
        self.ids.box.clear_widgets()
        for part in licences.PARTS:
            name = " ".join(word for word in (part.name, licences.version(part)) if word)
            text = f"{name}\n{part.licence} · {part.origin}"
            full = licences.full_text(part)
            if not full:
                self.ids.box.add_widget(Words(text=text))
                continue
            offer(self.ids.box, text, partial(self.show, full))

    def show(self, full: str) -> None:
        """One licence in full, a label a paragraph: one long label would not fit a texture."""
        self.ids.box.clear_widgets()
        em = App.get_running_app().ui.em
        for paragraph in full.split("\n\n"):
            self.ids.box.add_widget(Words(text=paragraph.strip(), font_size=em * 0.85))
        self.ids.scroll.to_top()


class SettingsScreen(Screen):
    """The user's choices; each works at once."""

    message = StringProperty()
    settings = ObjectProperty(Settings(), rebind=True)
    #: A phone hands single files on, and shows no folders.
    is_phone = BooleanProperty(is_android())
    #: Where files go, in words.
    place = StringProperty()

    def on_pre_enter(self, *_args: object) -> None:
        """Begins at the top."""
        self.ids.scroll.to_top()
        self.message = ""
        self._show()

    def _show(self) -> None:
        self.settings = settings = App.get_running_app().settings
        looks = [("", texts.LANGUAGE_SYSTEM)] if is_dark() is not None else []
        looks += [("dark", texts.DARK), ("light", texts.LIGHT)]
        self._offer(self.ids.themes, "theme", looks, settings.theme)
        sizes = [(scale, f"{round(scale * 100)} %") for scale in TEXT_SCALES]
        self._offer(self.ids.sizes, "text_scale", sizes, settings.text_scale)
        languages = [("", texts.LANGUAGE_SYSTEM), *LANGUAGES.items()]
        self._offer(self.ids.language, "language", languages, settings.language)
        self._show_files()

    def _show_files(self) -> None:
        app = App.get_running_app()
        known = exports.places(app.services.folder)
        names = [(name, texts.FILES_IN[name]) for name in known]
        chosen = app.settings.files if app.settings.files in known else exports.OWN
        self._offer(self.ids.files, "files", names if len(names) > 1 else [], chosen)
        said = texts.FILES_OWN if chosen == exports.OWN else texts.FILES_ELSEWHERE
        self.place = said.format(path=known[chosen])

    def show_place(self) -> None:
        """Opens the folder that files go to, where the device can; its path is said anyway."""
        app = App.get_running_app()
        place = exports.place_of(app.services.folder, app.settings.files)
        if not place.is_dir() or not sharing.share(place / "match"):
            self.message = texts.NO_FILE_YET.format(path=place)

    def ask_delete(self) -> None:
        """Asks before everything is deleted."""
        ask(texts.DELETE_ALL_SURE, texts.DELETE, self._delete, kind="danger")

    def _delete(self) -> None:
        App.get_running_app().screen("table").forget()
        with saying(self, "message"):
            App.get_running_app().services.forget_everything()
            self.message = texts.DELETED

    def show_licences(self) -> None:
        """Shows the licences of others."""
        LicencesSheet().open(animation=False)

    def turn(self, name: str) -> None:
        """Turns a switch on or off."""
        self._choose(name, not getattr(self.settings, name))

    def _offer(self, box: Any, name: str, values: list[tuple[Any, str]], now: Any) -> None:
        offer_choices(box, values, now, partial(self._choose, name))

    def _choose(self, name: str, value: Any) -> None:
        app = App.get_running_app()
        app.change(replace(app.settings, **{name: value}))
        if self.parent is not None:  # another language has new screens
            self._show()


load_layout(__file__)
