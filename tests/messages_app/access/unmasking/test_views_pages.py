"""The page to which a form or a part of a page leads back."""

import pytest
from django.test import RequestFactory

from messages_app.access.unmasking_views import page_of, way_back

FACTORY = RequestFactory()
FROM = {"Referer": "http://testserver/messages/7/?page=2"}


@pytest.mark.parametrize(
    ("method", "headers", "page"),
    [
        ("GET", {}, "/part/?a=1"),
        ("HEAD", FROM, "/part/?a=1"),
        ("GET", FROM, "/part/?a=1"),
        ("POST", FROM, "/messages/7/?page=2"),
        ("POST", {}, "/"),
        ("GET", FROM | {"HX-Request": "true"}, "/messages/7/?page=2"),
    ],
)
def test_is_the_page_that_the_user_sees(method, headers, page):
    assert page_of(FACTORY.generic(method, "/part/?a=1", headers=headers)) == page


@pytest.mark.parametrize(
    ("address", "back"),
    [
        ("/messages/7/", "/messages/7/"),
        ("//other.example/", "/"),
        ("https://other.example/", "/"),
        ("messages/", "/"),
        ("", "/"),
    ],
)
def test_leads_back_only_to_this_site(address, back):
    assert way_back(FACTORY.get("/reveal/", {"next": address})) == back
    assert way_back(FACTORY.post("/reveal/?next=/jobs/", {"next": address})) == back
