"""
Rows of the catalogue of bad input, each as requests with the answers that they get.

Source: docs/contributing/spec/bad_input.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

NOTHING = object()


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    One request, and what it is answered.

    Args:
        row: of the catalogue, such as "A01".
        call: method and address; below /api/v1/ unless it begins with a slash. {names} are the scene's.
        answer: status, or several with |; then the code, or field:code, of a problem.
        says, hides: texts that the answer must and must not contain.
        body: an object for JSON with {names}, or bytes as they are sent.
        form: the same as a form's fields.
        role: who asks, by the scene; empty is a stranger.
        payload: stored in the message {payload} before.
        after: calls that were made before, each with its body; the fields of their answers are names too.
        environ: of the request, in addition to the headers.
    """

    row: str
    call: str
    answer: str
    says: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    body: object = NOTHING
    form: Mapping[str, object] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    role: str = "operator"
    payload: str | None = None
    after: tuple[tuple[str, object], ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def statuses(self) -> set[int]:
        return {int(part) for part in self.answer.split()[0].split("|")}

    @property
    def code(self) -> str:
        """The problem's code; where a field is named too, the code of that field."""
        return self._expected.rpartition(":")[2]

    @property
    def field(self) -> str:
        return self._expected.rpartition(":")[0]

    @property
    def _expected(self) -> str:
        return self.answer.partition(" ")[2]


def case(row: str, call: str, answer: str, *says: str, **how: object) -> Case:
    """Return one case."""
    return Case(row=row, call=call, answer=answer, says=says, **how)


@dataclass(frozen=True, kw_only=True)
class Section:
    """
    One table of the catalogue.

    Args:
        prefix, count: its rows are prefix + 01 to count.
        cases: the requests.
        elsewhere: rows that no single request shows, with the test that does: file::class.
        not_offered: rows about what the contract does not have, with what it has.
    """

    prefix: str
    count: int
    cases: list[Case]
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    not_offered: Mapping[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> set[str]:
        return {f"{self.prefix}{number:02}" for number in range(1, self.count + 1)}

    @property
    def covered(self) -> set[str]:
        return {one.row for one in self.cases} | set(self.elsewhere) | set(self.not_offered)
