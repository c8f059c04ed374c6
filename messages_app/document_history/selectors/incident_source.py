"""Open documents in doubt as a source of failures for incidents."""

from collections.abc import Collection

from messages_app.core.failure_sources import ItemSource, NewItem
from messages_app.core.statements import Statements

statements = Statements("messages_app.document_history")

NAME = "document_history"
# Of the open documents, this many of the newest are compared.
_FENCE = 20_000


def read_new(most: int) -> list[NewItem]:
    values = {"store": NAME, "fence": _FENCE, "most": most}
    return [NewItem(*row) for row in statements.fetch_rows("new_in_doubt", values)]


def find_failing(keys: Collection[str]) -> list[str]:
    return statements.fetch_column("open_in_doubt", {"keys": list(keys)})


FAILURES = ItemSource(name=NAME, read_new=read_new, find_failing=find_failing)
