"""Scopes that a token may give to another one: its own, and those without limits to a name."""

import pytest

from messages_app.access.models import ApiToken
from messages_app.access.token_api import TokenTooWide, _check_scopes

BY = ApiToken(scopes=["messages:read", "queue:consume:RENDITION", "history:use"])


@pytest.mark.parametrize(
    "scopes", [["messages:read"], ["queue:consume:RENDITION"], ["history:use", "history:use:t-1"], []]
)
def test_gives_its_own_scopes_and_narrower_ones(scopes):
    _check_scopes(BY, scopes)
    _check_scopes(ApiToken(scopes=None), scopes)
    _check_scopes(ApiToken(scopes=None), None)


@pytest.mark.parametrize(
    ("scopes", "text"),
    [
        (None, "Your token has scopes, so specify the scopes of the new token."),
        (["messages:read", "jobs:run"], "Your token lacks the scope jobs:run."),
        (["queue:consume"], "Your token lacks the scope queue:consume."),
        (["queue:consume:FULLTEXT"], "Your token lacks the scope queue:consume:FULLTEXT."),
    ],
)
def test_gives_no_wider_scopes(scopes, text):
    with pytest.raises(TokenTooWide) as refused:
        _check_scopes(BY, scopes)
    assert (refused.value.field, str(refused.value)) == ("scopes", text)
