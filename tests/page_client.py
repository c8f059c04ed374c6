"""A reader of pages without a browser."""

from django.http import HttpResponse
from django.test import Client

from tests.factories import make_user


def client_of(*roles: str, username: str = "ada") -> Client:
    """Return a client that is logged in as a new user who has these roles."""
    client = Client()
    client.force_login(make_user(*roles, username=username))
    return client


def text_of(response: HttpResponse) -> str:
    return response.content.decode()
