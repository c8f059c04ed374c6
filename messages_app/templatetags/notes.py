"""Notes on a page, and the names of users in them."""

from collections.abc import Collection

from django import template
from django.template.context import RequestContext
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from messages_app.access import roles
from messages_app.notes.mentions import split_at_names
from messages_app.notes.models import NoteKind
from messages_app.notes.selectors import notes_on
from messages_app.payloads.text_markup import mark_invisible

register = template.Library()


@register.inclusion_tag("messages_app/mentions/_notes.html", name="notes", takes_context=True)
def show_notes(context: RequestContext, kind: str, subject: int) -> dict[str, object]:
    """Show the notes on a subject, and the form for another one to users who may write notes."""
    request = context["request"]
    return {
        "request": request,
        "csrf_token": context.get("csrf_token"),
        "kind": kind,
        "subject": subject,
        "title": "Notes",
        "notes": notes_on(NoteKind(kind), subject),
        "may_write": request.user.has_perm(roles.CAN_HANDLE_INCIDENTS),
    }


@register.simple_tag(name="noted")
def link_mentions(text: str, names: Collection[str]) -> SafeString:
    """Show the text of a note, in which the names of mentioned users are links."""
    parts = (
        (mark_invisible(words), _link_to_mentions(name) if name else "")
        for words, name in split_at_names(text, names)
    )
    return format_html_join("", "{}{}", parts)


def _link_to_mentions(name: str) -> SafeString:
    return format_html('<a href="{}?user={}">@{}</a>', reverse("mentions"), name, name)
