"""
Writes findings as sentences: "All 212 have currency CHF; 3 % of the processed ones do."

Source: docs/contributing/decisions/0041-analyses.md, "Report".
"""

from spark_tasks.analyses.fields import FORMAT, SIZE, Field, Source
from spark_tasks.analyses.predicates import Kind, Predicate
from spark_tasks.analyses.proportions import Shares, compute_difference_interval
from spark_tasks.analyses.reports import Finding

# A share of fewer messages is a number of them.
MIN_FOR_PERCENT = 100

_COLUMN_WORDS = {
    "service_name": "service",
    "operation_name": "operation",
    "parent_msg_id": "parent message",
    "node_id": "node",
}


def write_sentence(finding: Finding) -> str:
    """
    Return a finding in words.

    Args:
        finding: masked before, if its reader may not see values.
    """
    shares = finding.shares
    low, high = (100 * end for end in compute_difference_interval(shares))
    digits = 0 if high - low >= 1 else 1
    interval = f"95 % interval of the difference: {low:.{digits}f} to {high:.{digits}f} points"
    return f"{_write_failing(finding)}; {_write_passing(shares)} ({interval})."


def write_alternatives(finding: Finding) -> str:
    """Return the other properties of the same messages in words, one of each field, or an empty text."""
    by_field = {each.field: each for each in reversed(finding.same_as)}
    fields = {each.field for each in finding.predicates}
    words = [
        name_predicate(each)
        for each in finding.same_as
        if each is by_field[each.field] and each.field not in fields
    ]
    return f"The same messages have {join_words(words)}." if words else ""


def join_words(words: list[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _write_failing(finding: Finding) -> str:
    shares = finding.shares
    properties = join_words([name_predicate(each) for each in finding.predicates])
    total = format_number(shares.failing_total)
    if shares.failing == shares.failing_total:
        return f"All {total} have {properties}"
    number = format_number(shares.failing)
    if shares.failing_total >= MIN_FOR_PERCENT:
        return f"{number} of {total} ({format_share(shares.failing_share)}) have {properties}"
    return f"{number} of {total} have {properties}"


def _write_passing(shares: Shares) -> str:
    total = format_number(shares.passing_total)
    if not shares.passing:
        return f"none of the {total} processed ones does"
    if shares.passing == shares.passing_total:
        return f"all {total} processed ones do"
    if shares.passing_total >= MIN_FOR_PERCENT:
        return f"{format_share(shares.passing_share)} of the processed ones do"
    verb = "does" if shares.passing == 1 else "do"
    return f"{shares.passing} of the {total} processed ones {verb}"


def name_predicate(predicate: Predicate) -> str:
    """Return a property as the object of "have"."""
    field, name = predicate.field, name_field(predicate.field)
    if field.path == SIZE and field.is_whole_text:
        return f"{_name_text(field.source)} of {_write_length(predicate)}"
    if field.path == FORMAT and field.is_whole_text:
        return _name_format(predicate)
    match predicate.kind:
        case Kind.VALUE:
            return f"{name} {_quote_value(predicate.value)}"
        case Kind.MISSING:
            return f"no {name}"
        case Kind.PRESENT:
            return f"the field {name}"
        case Kind.EMPTY:
            return f"an empty {name}"
        case Kind.AT_LEAST | Kind.AT_MOST:
            return f"{name} with {_write_length(predicate)}"


def _name_format(predicate: Predicate) -> str:
    text = _name_text(predicate.field.source)
    if predicate.kind is Kind.VALUE:
        return f"{text} that is {predicate.value}"
    return f"no {predicate.field.source.value}" if predicate.kind is Kind.MISSING else text


def _name_text(source: Source) -> str:
    return {Source.PAYLOAD: "a payload", Source.ENVELOPE: "an envelope"}.get(source, source.value)


def _write_length(predicate: Predicate) -> str:
    number = format_number(predicate.length)
    return (
        f"at least {number} characters" if predicate.kind is Kind.AT_LEAST else f"at most {number} characters"
    )


def _quote_value(value: str) -> str:
    return f'"{value}"' if " " in value else value


def name_field(field: Field) -> str:
    """Return the name of a field without the root of its document, after the text that it is in."""
    if field.source is Source.COLUMN:
        return _COLUMN_WORDS.get(field.path, field.path.replace("_", " "))
    path = field.path
    if path.startswith("/"):
        path = path.split("/", 2)[-1]
    elif path.startswith("$."):
        path = path.removeprefix("$.")
    return f"{path} in the envelope" if field.source is Source.ENVELOPE else path


def format_number(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")


def format_share(share: float) -> str:
    """Return a share in percent. No share that is neither 0 nor 1 is written as 0 % or 100 %."""
    percent = 100 * share
    if percent < 0.1:
        return "less than 0.1 %"
    if percent > 99.9:
        return "more than 99.9 %"
    if percent < 1 or percent > 99:
        return f"{percent:.1f} %"
    return f"{percent:.0f} %"
