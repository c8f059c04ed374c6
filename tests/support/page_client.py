"""A reader of pages without a browser."""

import re

from django.conf import settings
from django.contrib.messages import get_messages
from django.http import HttpResponse
from django.test import Client

from messages_app.access.models import UserSession
from messages_app.access.token_services import digest_key
from messages_app.access.unmasking_views import start_unmasking
from messages_app.audit.services import Actor
from messages_app.core.clock import database_clock
from tests.support.factories import make_user


def client_of(*roles: str, username: str = "ada") -> Client:
    """Return a client that is logged in as a new user who has these roles."""
    client = Client()
    client.force_login(make_user(*roles, username=username))
    return client


def reader_of(*roles: str, username: str = "ada") -> Client:
    """Return such a client whose pages show values: its user may read payloads, and has said why."""
    client = client_of(*roles, "view_payload", username=username)
    show_values(client)
    return client


def show_values(client: Client) -> None:
    """Give a reason in the name of who is logged in here."""
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    user = UserSession.objects.get(key_sha256=digest_key(key)).user
    start_unmasking(user=user, session_key=key, reason="a test", actor=Actor(username=user.get_username()))


def confirm_password(client: Client) -> None:
    """Enter the password again in the name of the logged-in user, for changes of users, roles and tokens."""
    session = client.session
    session["password_confirmed_at"] = database_clock().timestamp()
    session.save()


def text_of(response: HttpResponse) -> str:
    """Return the markup of a page with a space for each line break and indentation, as browsers show it."""
    return re.sub(r"(?: *\n +)+|  +", " ", response.content.decode())


def notices_of(response: HttpResponse) -> list[str]:
    """Return the notices that the next page shows."""
    return [str(notice) for notice in get_messages(response.wsgi_request)]
