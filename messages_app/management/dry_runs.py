"""What a dry run has found, as lines for a reader; --json gives the report as it is."""

from collections.abc import Iterator, Mapping

from django.template.defaultfilters import filesizeformat

# The outcomes above have said these, or exact figures have taken their place.
_SAID = frozenset({"planned", "skipped", "estimate"})
_BYTES = "_bytes"


def report_lines(report: Mapping[str, object]) -> Iterator[str]:
    """Yield a line for each figure of a job's report, by name; none for what is unknown or empty."""
    for name, value in sorted(report.items()):
        if name not in _SAID and value not in (None, False, {}, []):
            yield f"{name}: {_words(value, is_size=name.endswith(_BYTES))}"


def _words(value: object, *, is_size: bool) -> str:
    if isinstance(value, Mapping):
        parts = [f"{key or '-'} {_words(each, is_size=is_size)}" for key, each in value.items()]
        return ", ".join(parts)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return filesizeformat(value).replace("\N{NO-BREAK SPACE}", " ") if is_size else str(value)
