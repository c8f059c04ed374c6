"""The page of the explain codes, from the list of the reasons in the order of their rules."""

from messages_app.messages.diagnosis.reason_texts import REASON_TEXTS
from messages_app.messages.diagnosis.reasons import NEXT_MEANINGS, By
from tests.support.reference.markdown import write_code, write_page, write_paragraph, write_table

_PARTS = (
    "`GET /api/v1/messages/{msg_id}/explain/` and the top of a message's page explain why a message is in its"
    " state. They give one `reason`, a `summary` as text, the messages in `blocked_by`, and the `next` step."
    " The explanation uses only the rows of the database, the database's clock, the rules of the hub that"
    " `HUB_RULES` names, and the [times of the hub](../contributing/spec/cleverbus.md#settings-of-the-hub):"
    " its own if it is an attached OpenHub, otherwise its defaults, which this page names. A summary with an"
    " interval says where it is from (`the hub's default`, `as the hub is configured`), and ends with a"
    " sentence if a value of the hub cannot be read or used. Current times are used, even if others applied"
    " when the message failed.",
    "Codes are added, never renamed. The wording of `summary` may change. An archived message has the code of"
    " its state as well; its `next` is `nothing`, or `restore` when it FAILED.",
    "`blocked_by` names the messages that must change first, the nearest cause only, at most 20. For a"
    " failure caused by another message it names the root cause. It is empty if no message blocks this one,"
    " or if"
    " changing another would not help.",
)
_ON_REASONS = (
    'A message has exactly one code. The table is in the order of the rules: the first row whose "when"'
    " is true gives the code."
)
_ON_STEPS = (
    '`{{"what", "at", "latest", "by", "becomes"}}`: the next step, not before `at` and by about `latest`'
    " (each null if unknown), who takes it, and the resulting state if known. `by` is one of {actors};"
    " `{outside}` is another system."
)
_ON_ADVICE = (
    "`cancel` and `restart` are only advised while `allowed_actions` of the message has them; else it is"
    " `correct`, and in the archive `restore`. `restart_blocker` is only advised while the first message of"
    " `blocked_by` can be restarted."
)


def write_explain() -> str:
    """Return the page of the reasons and next steps of explanations."""
    reasons = [(f"`{code}`", text.meaning, text.when, text.similar) for code, text in REASON_TEXTS.items()]
    steps = [(f"`{code}`", meaning) for code, meaning in NEXT_MEANINGS.items()]
    return write_page(
        "Explain codes",
        *(write_paragraph(text) for text in _PARTS),
        "## `reason`",
        write_paragraph(_ON_REASONS),
        write_table(("code", "meaning", "when", "similar cases"), reasons),
        "## `next`",
        write_paragraph(_ON_STEPS.format(actors=write_code(*By), outside=By.OUTSIDE)),
        write_paragraph(_ON_ADVICE),
        write_table(("`what`", "meaning"), steps),
    )
