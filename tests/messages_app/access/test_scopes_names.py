"""Scopes that are limited to a name: their parsing, and their permissions."""

import pytest

from messages_app.access import roles
from messages_app.access.scopes import (
    MAX_SCOPE,
    SCOPES,
    confined_rights_of,
    rights_of,
    scope_of,
    split_scope,
    why_none,
)
from messages_app.cp_queue.registration import CAN_PULL_CP_MESSAGES
from messages_app.document_history.registration import CAN_CHECK_DOCUMENTS


class TestSplit:
    @pytest.mark.parametrize(
        ("scope", "parts"),
        [
            ("queue:consume", ("queue:consume", None)),
            ("queue:consume:", ("queue:consume", "")),
            ("queue:consume:RENDITION", ("queue:consume", "RENDITION")),
            ("queue:consume:a:b", ("queue:consume", "a:b")),
        ],
    )
    def test_uses_all_after_the_second_colon_as_the_name(self, scope, parts):
        assert split_scope(scope) == parts


class TestWhyNone:
    def test_accepts_a_valid_scope(self):
        named = [f"{name}:x" for name, scope in SCOPES.items() if scope.confined_to]
        assert [why_none(scope) for scope in (*SCOPES, *named)] == [""] * (len(SCOPES) + 4)

    @pytest.mark.parametrize(
        "text", ["", "queue", "queue:", "queue:eat", "queue:consume:", "queue:read:x", "queue:consume:\0"]
    )
    def test_names_invalid_scopes(self, text):
        assert why_none(text).startswith(f"Unknown scope {text!r}")

    def test_accepts_no_longer_name_than_can_be_stored(self):
        longest = "queue:act:".ljust(MAX_SCOPE, "x")
        assert (why_none(longest), why_none(longest + "x")) == ("", f"Unknown scope {longest + 'x'!r}: {WHY}")


WHY = "there is no such queue."


class TestConfinedRightsOf:
    def test_returns_each_permission_with_all_its_names(self):
        found = confined_rights_of(["queue:consume:A", "queue:consume:B", "history:use:A", "queue:act"])
        assert found == {
            CAN_PULL_CP_MESSAGES: {"A", "B"},
            CAN_CHECK_DOCUMENTS: {"A"},
        }

    def test_returns_none_for_an_invalid_or_nameless_scope(self):
        scopes = ["queue:consume:", "queue:read:A", "queue:eat:A", "queue:consume", "", None]
        assert confined_rights_of(scopes) == {}

    def test_is_not_part_of_the_unlimited_permissions(self):
        assert rights_of(["queue:consume:A", "queue:consume:"]) == frozenset()


class TestScopeOf:
    def test_names_the_scope_with_a_name(self):
        assert scope_of(CAN_PULL_CP_MESSAGES, "A") == "queue:consume:A"

    def test_names_no_queue_for_an_unconfined_scope(self):
        assert scope_of(roles.CAN_MAKE_TOKENS, "A") == "tokens:manage"

    def test_names_no_scope_if_none_gives_the_permission(self):
        assert scope_of(roles.CAN_CHANGE_SHARED_VIEWS, "A") == ""
