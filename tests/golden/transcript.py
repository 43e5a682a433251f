"""Golden transcripts: a match with every viewer's view after every line.

After each line, for the public and each seat, those lines of the view are shown that changed
(`+` new or changed, `-` gone), so that the whole of every view is pinned without being repeated.
"""

from companion.core.audit import audit
from companion.core.events import Event
from companion.core.notation import MatchText
from companion.core.referee import Referee
from companion.core.replay import final


def flatten(view) -> dict[str, str]:
    """A view as one text a key."""
    lines = {}
    for key, value in view.as_dict().items():
        if key == "zones":
            lines |= {f"zone {name}": " ".join(cards) for name, cards in value.items()}
        elif key in ("log", "findings"):
            lines |= {f"{key} {i + 1}": " | ".join(map(str, v)) for i, v in enumerate(value)}
        elif key == "reasons":
            lines |= {f"reason {i + 1}": text for i, text in enumerate(value)}
        elif key != "viewer":
            lines[key] = str(value)
    return lines


def difference(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """The changed lines from one flattened view to the next."""
    gone = [f"- {key}" for key in before if key not in after]
    return gone + [f"+ {key}: {text}" for key, text in after.items() if before.get(key) != text]


def transcript(match: MatchText) -> str:
    """The whole transcript of a match."""
    referee: Referee = Referee(match.game, match.setup)
    viewers = {"public": None} | {name: seat for seat, name in enumerate(match.setup.players)}
    shown = {name: flatten(referee.view(viewer)) for name, viewer in viewers.items()}
    out = ["=== start"]
    for name, view in shown.items():
        out += [f"[{name}]", *difference({}, view)]
    for line in match.events:
        entry = referee.submit_line(line)
        out.append(f"=== {entry.n} {line.text}")
        if entry.error is not None:
            out.append(f"refused ({entry.error.kind}): {entry.error.message}")
        if entry.unfit:
            out.append(f"no longer fits: {entry.unfit}")
        for name, viewer in viewers.items():
            view = flatten(referee.view(viewer))
            changed = difference(shown[name], view)
            notes = [f"  {note}" for note in referee.knowledge(viewer).remarks]
            if changed and not isinstance(entry.event, Event | None):
                raise AssertionError("a line without an event changed a view")
            if changed or (notes and entry.applied):
                out += [f"[{name}]", *(notes if entry.applied else []), *changed]
            shown[name] = view
    out.append("=== final")
    out += [f"{key}: {value}" for key, value in final(match.game, referee.state).items()]
    out.append("=== audit")
    out += [f"{fault.event} {fault.kind}: {fault.message}" for fault in audit(referee)]
    return "\n".join(out) + "\n"
