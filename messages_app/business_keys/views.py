"""The pages of keys: the search, the story of one value, and the keys of one message."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from messages_app.access import roles
from messages_app.access.actors import user_of
from messages_app.access.decorators import PageViews
from messages_app.business_keys.registration import CAN_CHANGE_KEYS
from messages_app.business_keys.selectors import keys_of_message, list_definitions, list_newest_values
from messages_app.business_keys.story import tell_story
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.store_pages import StorePages
from messages_app.shared.key_extraction import MAX_VALUE

PAGES = StorePages(folder="identifiers", rights={"may_change": CAN_CHANGE_KEYS})
VIEWS = PageViews(roles.CAN_VIEW_MESSAGES)


class SearchForm(forms.Form):
    """A number of a customer."""

    value = forms.CharField(
        label="Number or its beginning",
        max_length=MAX_VALUE,
        widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off", "spellcheck": "false"}),
    )


@VIEWS.shows_page
@takes_parameters("value")
def key_search(request: HttpRequest) -> HttpResponse:
    """Show the form, or redirect to the page of the value that was entered."""
    form = SearchForm(request.GET if "value" in request.GET else None)
    if form.is_valid():
        return redirect("key", form.cleaned_data["value"])
    names = sorted({definition.name for definition in list_definitions()})
    may_view_payload = user_of(request).has_perm(roles.CAN_VIEW_PAYLOAD)
    newest = list_newest_values(may_view_payload=may_view_payload) if names else []
    context = {"form": form, "names": names, "newest": newest}
    return PAGES.render_page(request, "keys", context, status=400 if form.errors else 200)


@VIEWS.shows_page
def key_page(request: HttpRequest, value: str) -> HttpResponse:
    """Show the story of one value, which no message may have."""
    story = tell_story(value, user_of(request))
    place = request.path if story.steps else ""
    return PAGES.render_page(request, "key", {"story": story, "place_path": place})


@VIEWS.shows_page
def keys_part(request: HttpRequest, msg_id: int) -> HttpResponse:
    """Show the keys of one message, in a part of its page or on a page of their own."""
    keys = keys_of_message(msg_id, may_view_payload=user_of(request).has_perm(roles.CAN_VIEW_PAYLOAD))
    name = "_of_message" if request.headers.get("HX-Request") else "of_message"
    return PAGES.render_page(request, name, {"keys": keys, "msg_id": msg_id})
