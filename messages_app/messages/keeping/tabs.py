"""The tabs of the list: the console's own views, one's own, and those that others share."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.http import QueryDict

from messages_app.messages.keeping.saved_views import BUILT_IN, views_of
from messages_app.messages.query_line.addresses import PARAMETERS


@dataclass(frozen=True, kw_only=True)
class Tab:
    """
    One tab.

    Args:
        query: of the list's address, the question mark included.
        title: what it shows, or whose it is.
        is_saved: somebody saved it; else it is the console's own.
    """

    name: str
    query: str
    title: str
    is_on: bool
    is_saved: bool = False
    is_shared: bool = False


def tabs_of(user: AbstractBaseUser, params: QueryDict) -> list[Tab]:
    """Return the tabs that `user` has; the one is on whose filter is that of `params`."""
    now = _filters(params)
    own = [
        Tab(name=view.name, query=f"?{view.query}", title=view.meaning, is_on=_filters_of(view.query) == now)
        for view in BUILT_IN
    ]
    saved = [
        Tab(
            name=view.name,
            query=f"?{view.query}",
            title=f"Shared by {view.owner.get_username()}" if view.owner_id != user.pk else "Your own view",
            is_on=_filters_of(view.query) == now,
            is_saved=True,
            is_shared=view.shared,
        )
        for view in views_of(user)
    ]
    return own + saved


def _filters_of(query: str) -> dict[str, str]:
    return _filters(QueryDict(query))


def _filters(params: QueryDict) -> dict[str, str]:
    return {name: value for name, value in params.items() if name not in PARAMETERS}
