"""The tabs of the list: built-in views, the user's own, and shared views of others."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.http import QueryDict

from messages_app.core.filters.address import PARAMETERS
from messages_app.messages.listing.saved_views.services import BUILT_IN, views_of


@dataclass(frozen=True, kw_only=True)
class Tab:
    """
    One tab.

    Args:
        query: the query string of the list's address, with the question mark.
        title: its meaning, or its owner.
        is_saved: a user saved it; otherwise it is built in.
    """

    name: str
    query: str
    title: str
    is_on: bool
    is_saved: bool = False
    is_shared: bool = False
    shows_failing: bool = False


def tabs_of(user: User, params: QueryDict) -> list[Tab]:
    """Return the tabs of `user`. The tab with the filter of `params` is on."""
    now = filters_of_params(params)
    own = [
        Tab(
            name=view.name,
            query=f"?{view.query}",
            title=view.meaning,
            is_on=_filters_of(view.query) == now,
            shows_failing=view.shows_failing,
        )
        for view in BUILT_IN
    ]
    saved = [
        Tab(
            name=view.name,
            query=f"?{view.query}",
            title=f"Shared by {view.owner.get_username()}" if view.owner_id != user.pk else "Your view",
            is_on=_filters_of(view.query) == now,
            is_saved=True,
            is_shared=view.shared,
        )
        for view in views_of(user)
    ]
    return own + saved


def _filters_of(query: str) -> dict[str, str]:
    return filters_of_params(QueryDict(query))


def filters_of_params(params: QueryDict) -> dict[str, str]:
    return {name: str(value) for name, value in params.items() if name not in PARAMETERS}
