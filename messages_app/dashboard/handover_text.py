"""The handover as plain text, to copy and to send."""

from collections.abc import Iterator, Sequence

from messages_app.core.formatting import format_moment
from messages_app.dashboard.handover import Handover
from messages_app.dashboard.handover_lines import HandoverLine, HandoverPart, shorten_text
from messages_app.dashboard.handover_parts import describe_shift


def write_handover(shift: Handover) -> str:
    """Return the text: the summary, the parts as on the page, and the notes of the shift."""
    title = f"Handover from {format_moment(shift.since)} to {format_moment(shift.until)}"
    parts = describe_shift(shift)
    notes = [f"- {read.note.author}: {shorten_text(read.note.text)}" for read in shift.notes]
    blocks = [
        f"{title}\n{summarise_shift(parts)}",
        *(_write_block(part.title, list(_write_lines(part.lines))) for part in parts),
        _write_block("Notes of the shift", notes),
    ]
    return "\n\n".join(blocks) + "\n"


def summarise_shift(parts: Sequence[HandoverPart]) -> str:
    """Return how much is in the parts, as a sentence."""
    words = ", ".join(part.summary for part in parts if part.summary)
    return f"{words[:1].upper()}{words[1:]}."


def _write_block(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, *(lines or ["- nothing"])])


def _write_lines(lines: Sequence[HandoverLine], indent: str = "") -> Iterator[str]:
    for line in lines:
        facts = f": {', '.join(line.facts)}" if line.facts else ""
        note = f" ({line.note})" if line.note else ""
        yield f"{indent}- {line.title}{facts}{note}"
        yield from _write_lines(line.lines, f"{indent}  ")
