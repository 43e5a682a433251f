"""A seat page as a screen reader tells of it: Chromium's accessibility tree, and the keyboard.

What can be done is found by role and name, pressed by a key, and what became of it is heard.
"""

import re
from dataclasses import dataclass, field

from mobile.seats import sentences
from mobile.seats.language import language, to_player
from tests.mobile.seats.browser import Screen

#: Roles that take the focus, and the state that each has to tell beside its name.
CONTROLS = {
    "button": None, "textbox": None, "region": None, "dialog": None, "radio": "checked",
    "checkbox": "checked", "DisclosureTriangle": "expanded",
}  # fmt: skip
#: Signs that no screen reader says as what they mean on these pages.
_SIGNS = re.compile("[▸▾●○✓✗✕⌫›]")
#: What lies together in one of these is told apart by its name alone.
_TOGETHER = ("form", "group", "dialog", "status", "main", "RootWebArea")


@dataclass(eq=False)
class Node:
    """What a listener hears of one thing.

    Attributes:
        parents: what it lies in, the page first.
        lines: the texts that lie in it.
    """

    role: str
    name: str
    value: str
    description: str
    states: dict
    number: int
    parents: tuple
    lines: list = field(default_factory=list)

    def __repr__(self):
        return f"{self.role} “{self.name}” {self.states}"

    def is_in(self, role, name):
        return any((one.role, one.name) == (role, name) for one in self.parents)


def _node(sent, parents):
    told = [sent.get(key, {}).get("value", "") for key in ("name", "value", "description")]
    # Chromium puts a space between boxes, which no screen reader says.
    told[0] = re.sub(r" (?=[:,])", "", " ".join(told[0].split()))
    states = {one["name"]: one["value"].get("value") for one in sent.get("properties", ())}
    return Node(sent["role"]["value"], *told, states, sent.get("backendDOMNodeId"), parents)


class Listener(Screen):
    """A seat's page of which nothing is known but what its accessibility tree says."""

    def __init__(self, running, table, seat):
        self.player = table.session.setup.players[seat]
        self.language = to_player(language("en"), self.player)
        super().__init__(running, table.urls["seats"][self.player], seat)
        self._heard, self.tried = None, set()
        self._wire = self.context.new_cdp_session(self.page)
        self._wire.send("Accessibility.enable")
        self.press(self.one("button", f"Sit down as {self.player}"))
        self.until(lambda: self.all("DisclosureTriangle", sentences.MORE))
        self.page.wait_for_load_state()
        self._heard = None

    def hear(self, *, anew=False):
        """Every node that a screen reader is told of, in the order in which it reads them.

        What was heard holds until a key is pressed or something is waited for.
        """
        if self._heard and not anew:
            return self._heard
        sent = self._wire.send("Accessibility.getFullAXTree")["nodes"]
        by_number, found = {one["nodeId"]: one for one in sent}, []

        def walk(one, parents):
            if not one["ignored"]:
                node = _node(one, parents)
                found.append(node)
                if node.role == "StaticText":
                    for parent in parents:
                        parent.lines.append(node.name)
                    return
                parents = (*parents, node)
            for child in one["childIds"]:
                if child in by_number:
                    walk(by_number[child], parents)

        walk(next(one for one in sent if "parentId" not in one), ())
        self._heard = found
        return found

    def all(self, role, name=None, form=None):
        """Nodes of a role: by a name, by a pattern of it, or all; in one form alone."""
        fits = re.compile(re.escape(name) if isinstance(name, str) else name or ".*").fullmatch
        return [one for one in self.hear() if one.role == role and fits(one.name)
                and (form is None or one.is_in("form", form))]  # fmt: skip

    def one(self, role, name=None, form=None):
        """The only one there is."""
        found = self.all(role, name, form)
        assert len(found) == 1, (role, name, found, self.hear())
        return found[0]

    def until(self, holds):
        """Hears again until something is so, and gives it."""
        for _again in range(100):
            # Most pages need a moment; to hear them costs more than to wait.
            if self._heard is None:
                self.page.wait_for_timeout(40)
            if found := holds():
                return found
            self._heard = None
        raise AssertionError(self.hear())

    def press(self, node, key="Space"):
        """Presses a key on something, once the page takes it."""
        self.page.wait_for_function("() => !globalThis.touches?.isQuiet()")
        self._wire.send("DOM.focus", {"backendNodeId": node.number})
        self.page.keyboard.press(key)
        self._heard = None

    def focused(self):
        """What has the focus; None where it was lost to the page as a whole."""
        return next((one for one in self.hear()[1:] if one.states.get("focused")), None)

    def said(self, role):
        """All that a live region says."""
        return " ".join(line for one in self.all(role) for line in one.lines)


def faults(heard):
    """What a listener would miss or mistake on a page."""
    found, names = [], {}
    for one in heard[1:]:
        if one.role in ("image", "img") and not one.name:
            found.append(f"an image without a name: {one}")
        if not one.states.get("focusable"):
            continue
        if one.role not in CONTROLS:
            found.append(f"takes the focus: {one}")
        elif CONTROLS[one.role] and CONTROLS[one.role] not in one.states:
            found.append(f"does not say whether {CONTROLS[one.role]}: {one}")
        if not re.search(r"\w", one.name):
            found.append(f"no name: {one}")
        if _SIGNS.search(one.name):
            found.append(f"a sign instead of a word: {one}")
        around = next(parent for parent in reversed(one.parents) if parent.role in _TOGETHER)
        if names.setdefault((around, one.role, one.name), one) is not one:
            found.append(f"two of one name: {one}")
    return found
