"""The list at the left of forms of administrators."""

import pytest

from messages_app.core.lists.side_list import MAX_LINKS, SideLink, make_side_list
from messages_app.jobs.models import JobSchedule
from messages_app.messages.failures.models import ErrorCode
from tests.support.factories import make_user
from tests.support.page_client import client_of
from tests.support.page_outlines import outline_of, show_block


def links(count: int) -> list[SideLink]:
    return [SideLink(address=f"/{number}/", title=f"Row {number}") for number in range(1, count + 1)]


class TestSideList:
    def test_has_the_first_rows_and_says_whether_there_are_more(self):
        assert make_side_list("Users", "/users/", links(MAX_LINKS)).has_more is False
        longer = make_side_list("Users", "/users/", links(MAX_LINKS + 1))
        assert (len(longer.links), longer.links[-1].title, longer.has_more) == (MAX_LINKS, "Row 40", True)

    def test_is_shown_with_the_open_row(self):
        rows = [
            SideLink(address="/users/1/", title="ada", second="deactivated"),
            SideLink(address="/users/2/", title="bob", is_open=True),
        ]
        side_list = make_side_list("Users", "/users/", rows)
        markup = show_block("messages_app/administration/with_list.html", block="inside", side_list=side_list)
        assert outline_of(markup) == [
            "(label: Users)",
            "[ada deactivated](/users/1/)",
            "* [bob](/users/2/)",
        ]
        more = make_side_list("Users", "/users/", links(MAX_LINKS + 1))
        markup = show_block("messages_app/administration/with_list.html", block="inside", side_list=more)
        assert outline_of(markup)[-1] == "[All users](/users/)"


@pytest.mark.django_db
class TestForms:
    @pytest.mark.parametrize(
        ("path", "open_title"),
        [
            ("/users/new/", None),
            ("/users/{user}/", "zoe"),
            ("/error-codes/new/", None),
            ("/error-codes/X900/", "X900"),
            ("/schedules/new/", None),
            ("/schedules/{schedule}/", "Cancel all messages"),
            ("/business-keys/new/", None),
        ],
    )
    def test_have_the_other_rows_at_their_left(self, path, open_title):
        client = client_of("admin")
        user = make_user("support", username="zoe", is_active=False)
        ErrorCode.objects.create(code="X900", description="Sold out")
        schedule = JobSchedule.objects.create(kind="cancel", cron="30 2 * * *", zone="UTC", reason="r")
        side_list = client.get(path.format(user=user.pk, schedule=schedule.pk)).context["side_list"]
        assert [link.title for link in side_list.links if link.is_open] == [open_title] * bool(open_title)
        if path.startswith("/users/"):
            titles = [(link.title, link.second) for link in side_list.links]
            assert titles == [("ada", ""), ("zoe", "deactivated")]
        elif path.startswith("/error-codes/"):
            assert ("X900", "Sold out") in [(link.title, link.second) for link in side_list.links]
        elif path.startswith("/schedules/"):
            assert [link.second for link in side_list.links] == ["Every day at 02:30"]
