"""The lines that `detach` prints: a script for psql with comments."""

from types import SimpleNamespace

import pytest

from messages_app.management.commands.detach import (
    _audit_file,
    _describe_catalog,
    _list_for_owner,
    _make_comment,
    _rights_left,
)


class Found(SimpleNamespace):
    def __str__(self) -> str:
        return "OpenHub 2.3"


@pytest.mark.parametrize(
    ("after", "is_left", "words"),
    [
        ("a1", False, "is as it was before (a1, now a1)"),
        ("a1", True, "is as it was before (a1, now a1)"),
        ("b2", True, "still has what the statements below remove (a1, now b2)"),
        ("b2", False, "was changed by its owner after it was attached, for example by a GRANT (a1, now b2)"),
    ],
)
def test_compares_the_catalog_with_that_before(after, is_left, words):
    text = _describe_catalog(Found(fingerprint="a1"), after, is_left=is_left)
    assert text == f"The catalog of the hub {words}."


def test_writes_sentences_as_comments_of_one_line_and_statements_to_run():
    assert _make_comment("one\ntwo") == "-- one two"
    assert _list_for_owner(["DROP INDEX a", "DROP TABLE b"]) == [
        "-- The owner of the hub's tables must still run these statements, for example in psql:",
        "DROP INDEX a;",
        "DROP TABLE b;",
    ]
    assert _list_for_owner([]) == []
    assert _rights_left(["REVOKE x", "REVOKE y"]) == [
        "-- The console's roles keep these rights until the owner of the tables takes them away:",
        "REVOKE x;",
        "REVOKE y;",
    ]
    assert _rights_left([]) == ["-- The console's roles were granted nothing on the hub's tables."]


def test_names_the_file_of_the_audit_log_by_the_schema_and_the_time():
    name, _, rest = _audit_file("hub/../x y").partition("-20")
    assert name == "audit-hub_.._x_y"
    assert (len(rest), rest[-7:]) == (len("261128T101112123456Z.jsonl"), "Z.jsonl")
