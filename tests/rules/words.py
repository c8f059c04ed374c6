"""
Patterns of wording to avoid, each with what to write instead.

Source: docs/contributing/style.md, "English"
"""

import re
from collections.abc import Iterable
from typing import NamedTuple


class Pattern(NamedTuple):
    """
    A regular expression for wording to avoid.

    Args:
        expression: matched case-insensitively against each line of prose.
        write: the wording to use instead.
        bad: an example that the expression must match.
    """

    expression: str
    write: str
    bad: str


PATTERNS = (
    Pattern(
        r"(?:^…?|\. )(?:who|whose)\b(?!.*\?|\W*$)",
        "a noun first: users who …",
        "Who may read payloads sees them",
    ),
    Pattern(r"(?<!to )\bthose (?:who|that)\b", "the noun: messages that …", "Restart those that are FAILED"),
    Pattern(
        r"(?<!user postgres or )\b(?:whoever|nobody|somebody|everybody|anybody)\b",
        "anyone who, no one",
        "For whoever comes next",
    ),
    Pattern(r"\bstands?\b", "is, shows", "Every job will stand here"),
    Pattern(r"\b(?:lies|lives)\b", "is", "The file lies in the archive"),
    Pattern(r"\b(?:told|tells)\b", "shows, reports, notifies", "Nobody is told"),
    Pattern(r"\b(?:became|becomes?) of\b", "outcome", "What became of each message"),
    Pattern(
        r"\b(?:of before|of theirs|of ours|by now)\b", "earlier, their, now", "Failures of before the console"
    ),
    Pattern(r"\b(?:failed|fails?|done) so\b(?! far)", "with this error", "Restart all that failed so"),
    Pattern(r"\b(?:alike|after all|all the same)\b", "with the same error", "55 messages fail alike"),
    Pattern(r"\bso (?:many|few|often|long)\b", "up to N, at least N", "A share of at least so many"),
    Pattern(r"(?<!there )\b(?:is|are|was|were) no (?!longer\b|one\b)[a-z]", "is not a", "This is no address"),
    Pattern(r"(?<!there )\b(?:is|are|was|were) none\b", "is not a", "A number is none"),
    Pattern(r"\banew\b", "again", "Save it anew"),
    Pattern(r"\bbesides?\b", "also, in addition to, next to", "A code besides the password"),
    Pattern(r"\bat once\b", "immediately, at a time", "The entries expire at once"),
    Pattern(r", for (?:it|they|he|she|there)\b", "because", "By whom is not known, for they keep neither"),
    Pattern(r"\b(?:go|goes|went|gone) on\b", "continue", "The next page goes on"),
    Pattern(
        r"\b(?:is|are|was|were|go|goes|went|gone) through\b", "completed, succeeded", "It went through before"
    ),
    Pattern(r"\b(?:tries|(?:a|one|each|another|no further) try)\b", "attempts", "Too many tries"),
    Pattern(r"\b(?:for ever|for good)\b", "forever, permanently", "Messages that fail for good"),
    Pattern(r"\bby (?:itself|themselves|hand)\b", "automatically, on its own", "Nothing happens by itself"),
    Pattern(r"\bunder way\b", "in progress", "5 still under way"),
    Pattern(r"\blook(?:s|ed|ing)? (?:at|whether|again|through)\b", "check, search", "It was looked at"),
    Pattern(r"\bhow far\b|\bas it (?:came|stands)\b", "progress, default", "How far they are"),
    Pattern(r"\bthe own\b|\bone's\b", "their own, your own", "Changes the own password"),
    Pattern(r"\b(?:does|do) not hold\b|\bholds? no longer\b", "is not valid", "This code does not hold"),
    Pattern(r"\b(?:bell|knock|fates?|rehears\w*)\b", "notify, connect, outcome, dry run", "Rehearse first"),
    Pattern(r"\boutside systems?\b", "external system", "Outside systems called again"),
    Pattern(r"(?<![-(])\bcanar(?:y|ies)\b", "test batch", "First messages, as a canary"),
    Pattern(r"(?:^…?|[.:] )What\b[^?\n]*[.:](?: |$)", "the noun first", "What was done stays in the ledger."),
    Pattern(r"(?:^…?|[.:] )Which\b[^?\n]*[.:](?: |$)", "the noun first", "Which rows are meant is shown."),
    Pattern(
        r"\bof which (?:no|none|nobody|most)\b", "a sentence of its own", "Rows of which no page has need"
    ),
    Pattern(
        r"\b(?:that|which) (?:knows?|sees?|has|have|needs?|takes?|gives?) (?:no|none)\b(?! longer)",
        "that does not have a …",
        "A message that has no funnel",
    ),
    Pattern(
        r"\b(?:knows?|sees?|asks?|touch(?:es)?) (?:no|none|nobody)\b", "does not know", "It knows no users"
    ),
    Pattern(r"\bnothing of\b|\bnone of what\b", "does not … any", "Nothing of the console fails the hub"),
    Pattern(r"\bthere (?:is|are|was|were) none\b", "no messages", "There is none in this time"),
    Pattern(
        r"\b(?:is|are|was|were|be|have it|has it|stays?|left) so\b(?! far\b| that\b| \w+ (?:that|as)\b)",
        "the fact again",
        "Save once more to have it so",
    ),
    Pattern(r"(?<!ever )\bsince(?=[.:;)])", "after that", "Nobody has looked at it since."),
    Pattern(
        r"\b(?:hence|whence|thereby|wherein|thereof|whereof|whereby|lest|upon|amiss|nought|shall|herein"
        r"|hitherto|henceforth|whilst|forthwith|wholly|aright|once more|in vain|ever after|of late)\b",
        "today's word",
        "It is tried once more",
    ),
    Pattern(r"\bby chance\b", "at random", "Pages are chosen by chance"),
    Pattern(
        r"\b(?:all|nothing|none|everything|everyone|no one) but\b", "except", "It may do all but rewrite it"
    ),
    Pattern(r"\ball that (?:it|they|he|she|we|the|a)\b", "everything that", "It shows all that it has"),
    Pattern(
        r"\b(?!(?:left|leaves?|runs?|ran|fails?|not|let|stand|it|them|is|are|was|were|be) )[a-z]+ alone\b",
        "only",
        "In that session alone",
    ),
    Pattern(r"\b(?:is|are|was|were) to (?:be|come|have|go)\b", "must, will", "The packages that are to come"),
    Pattern(
        r"\bheld against\b|\bcomes? to (?:an|its|their) end\b|\bg(?:ive|ives|ave) way\b"
        r"|\btakes? the place of\b|\bput (?:right|away|aside)\b|\bgo(?:es)? by\b",
        "compared with, ends, yields, replaces, fixed, uses",
        "The job has come to its end",
    ),
    Pattern(
        r", for (?:nothing|such|what|this is|these|no|none|both|all of)\b",
        "because",
        "It is safe, for no row is ours",
    ),
    Pattern(
        r"\b(?:is|are|was|were) waited for\b|\bowes?\b|\basked for by\b|\bnot through\b|\bbears?\b",
        "waits for, must, required by, processed, tolerate",
        "The lock is waited for",
    ),
    Pattern(
        r"\bwithin the noise\b|\b(?:times?|those|that) (?:are those )?of now\b|\bseldom\b|\blose races\b",
        "within measurement noise, current, rarely, compete",
        "The times are those of now",
    ),
    Pattern(r"\bgo(?:es)? before all\b", "is ahead of all", "It goes before all others"),
    Pattern(r"\(issue: ", "the sentence without the issue", "It keeps 0.8 of its rate (issue: attach)"),
    Pattern(r"\bwalk(?:s|ed|ing)?\b", "scan, follow", "It walks the primary key"),
    Pattern(
        r"\brooms\b|\b(?:the|a|an|its|each|every|own|this|inner|message) room\b",
        "package",
        "The rooms below it",
    ),
    Pattern(r"\bof the house\b|\bthe house's\b", "of the company, our own", "The rules of the house"),
    Pattern(
        r"\b(?:a|one|each|every|two|between|first|second|last|next) looks?\b(?! up| like|-)",
        "check, scan",
        "At the next look",
    ),
)
_COMPILED = [
    (re.compile(pattern.expression, re.IGNORECASE | re.MULTILINE), pattern.write) for pattern in PATTERNS
]


def found_in(lines: Iterable[str]) -> list[str]:
    """Return "line of prose: write …" once for each pattern that matches a line."""
    text = "\n".join(lines)
    return [
        f"{line!r}: write {write}"
        for expression, write in _COMPILED
        for line in dict.fromkeys(_line_at(text, match.start()) for match in expression.finditer(text))
    ]


def _line_at(text: str, position: int) -> str:
    end = text.find("\n", position)
    return text[text.rfind("\n", 0, position) + 1 : len(text) if end < 0 else end]
