import gzip
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import psycopg
import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from messages_app.messages import selectors
from messages_app.messages.listing import views
from messages_app.messages.listing.table_settings import COLUMNS, keep_table
from messages_app.shared.message_states import MessageState
from tests.support.factories import (
    NOON,
    make_archived_message,
    make_funnel,
    make_message,
    make_messages,
    make_user,
)
from tests.support.page_client import client_of, reader_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def support() -> Client:
    return client_of("support")


def make_wide_messages(how_many: int) -> None:
    """Make failed messages with a long text in each column, and a child of each."""
    for number in range(how_many):
        message = make_message(
            state="FAILED",
            correlation_id=f"CALLCENTER-L20261129-{number:08}",
            process_id=f"PL{number:09}",
            object_id=f"SL{number:08}",
            entity_type="SUBSCRIPTION",
            funnel_value=f"SL{number:08}",
            funnel_component_id="funnel_subscription",
            failed_error_code="E103",
            failed_desc="E103: Connection refused by pay.bank.example (java.net.ConnectException)",
            start_process_timestamp=NOON,
            last_process_timestamp=NOON,
        )
        make_message(parent_msg_id=message.pk, parent_binding_type="HARD")


class TestMessageList:
    def test_redirects_to_the_login_and_back(self, client):
        response = client.get("/messages/?state=FAILED")
        assert response.status_code == 302
        assert response.url == "/login/?next=/messages/%3Fstate%3DFAILED"

    def test_is_closed_to_users_who_have_no_role(self):
        assert client_of().get("/messages/").status_code == 403

    def test_is_not_kept_by_the_browser(self, support):
        assert "no-store" in support.get("/messages/").headers["Cache-Control"]

    def test_does_not_count_failing_messages_that_were_fewer_after_the_list_was_read(
        self, support, monkeypatch
    ):
        for _ in range(3):
            make_message(state="FAILED")
        monkeypatch.setattr(selectors, "failing_count", lambda filters: 2)
        page = support.get("/messages/?state=FAILED")
        assert (page.status_code, "failing now" in text_of(page)) == (200, False)
        assert re.search(r'id="count-line">\s*3 messages', text_of(page))

    def test_counts_failed_messages_of_further_filters_exactly(self, support):
        for _ in range(3):
            make_message(state="FAILED", failed_error_code="E103", service_name="rare")
        make_message(state="FAILED", service_name="rare"), make_message(state="OK", service_name="rare")
        address = "/messages/?state=FAILED&failed_error_code=E103&service_name=rare&page_size=2"
        words = text_of(support.get(address))
        assert re.search(r"1–2\s*of 3", words)
        assert "about" not in words

    def test_shows_no_estimate_below_the_number_of_rows_on_the_page(self, support):
        for _ in range(3):
            make_message(state="OK", object_id="4711", service_name="rare")
        words = text_of(support.get("/messages/?state=OK&object_id=4711&service_name=rare&page_size=2"))
        assert re.search(r'1–2\s*<span id="count">more available ·', words)
        assert "of about" not in words

    def test_is_at_most_103_kb_with_every_column_of_50_messages_filled(self):
        parent = make_message(msg_id=12_345_678, state="FAILED", receive_timestamp=NOON - timedelta(days=1))
        for minute in range(51):
            make_message(
                msg_id=23_456_789 + minute,
                state="FAILED",
                correlation_id=f"corr-{minute}-7f1c2b9a-0000",
                parent_msg_id=parent.pk,
                object_id="4711",
                funnel_value="F-1",
                failed_count=4,
                failed_error_code="E103",
                failed_desc="E103: the target refused the order at https://erp.example",
                receive_timestamp=NOON + timedelta(minutes=minute),
            )
        page = client_of("admin", "operator", "view_payload").get("/messages/").content
        assert page.count(b"<tr data-row=") == 50
        assert len(page) <= 103_000

    def test_shows_the_columns_of_a_row(self, support):
        parent = make_message(state="WAITING")
        make_message(
            state="FAILED",
            parent_msg_id=parent.pk,
            failed_count=4,
            failed_error_code="E103",
            failed_desc="E103: Connection refused\n\tat Line.java:7",
        )
        page = text_of(support.get("/messages/?ordering=msg_id"))
        assert 'data-state="FAILED"' in page
        assert "Connection refused" in page
        assert "Line.java" not in page
        assert f"Child of {parent.pk}" in page
        assert f"Children of {parent.pk}" in page
        assert f"{parent.receive_timestamp:%Y-%m-%d %H:%M:%S} UTC" in page

    @pytest.mark.parametrize("state", MessageState)
    def test_draws_every_state_by_word_icon_and_colour(self, support, state):
        make_message(state=state)
        page = text_of(support.get("/messages/"))
        assert f'data-state="{state}" title="' in page
        assert f"#state-{state}" in page

    def test_leaves_no_payload_in_the_page(self, support):
        make_message(payload="<secret/>", envelope="<secret/>", failed_desc="a\nsecret")
        assert "secret" not in text_of(support.get("/messages/"))

    def test_removes_empty_parameters_of_a_form(self, support):
        response = support.get(
            "/messages/?state=OK&state=NEW&service_name=&receive_timestamp_from=2026-11-01+12:00"
        )
        assert response.status_code == 302
        assert response.url == "/messages/?state=OK,NEW&receive_timestamp_from=2026-11-01T12:00Z"
        assert support.get(response.url).status_code == 200
        assert support.get("/messages/?service_name=").url == "/messages/"

    def test_links_to_older_messages_and_back(self, support):
        for _ in range(3):
            make_message()
        first = support.get("/messages/?page_size=2")
        second = support.get("/messages/" + first.context["older"])
        assert first.context["newer"] is None
        assert "has_removable_filters" not in first.context
        assert "search" not in first.context
        assert second.context["older"] is None
        back = support.get("/messages/" + second.context["newer"])
        assert [row.pk for row in back.context["rows"]] == [row.pk for row in first.context["rows"]]

    def test_calls_the_directions_by_age_when_the_oldest_come_first(self, support):
        for _ in range(2):
            make_message()
        response = support.get("/messages/?page_size=1&ordering=msg_id")
        assert response.context["newer"]
        assert response.context["older"] is None
        orders = response.context["table"].orders
        assert (orders.words, orders.direction) == ("Oldest id first", "none")
        assert [link.text for link in orders.links if link.is_on] == ["Oldest id first"]
        assert orders.turned == "?page_size=1&ordering=-receive_timestamp"

    def test_keeps_the_filter_in_every_link(self, support):
        for _ in range(2):
            make_message(state="FAILED")
        response = support.get("/messages/?state=FAILED&service_name=billing&page_size=1")
        form = response.context["form"]
        assert "service_name=billing" in response.context["older"]
        assert all("service_name=billing" in link.query for link in form.received)
        assert all("cursor" not in link.query for link in form.received)

    @pytest.mark.parametrize(
        ("query", "marked"),
        [
            ("parent_msg_id=abc", "parent:abc"),
            ("receive_timestamp_from=whenever", "received:>=whenever"),
            ("failed_error_code=TOOLONG", "error:TOOLONG"),
            (
                "receive_timestamp_from=2026-01-02+00:00&receive_timestamp_to=2026-01-01",
                "received:2026-01-02..2026-01-01",
            ),
        ],
    )
    def test_reports_errors_in_the_query_line_and_keeps_the_input(self, support, query, marked):
        response = support.get(f"/messages/?{query}", follow=True)
        assert response.status_code == 400
        [error] = response.context["line"].errors
        assert error.marked == marked
        assert 'role="alert"' in text_of(response)

    @pytest.mark.parametrize("query", ["nope=1", "state=NOPE", "cursor=x", "page_size=0", "ordering=payload"])
    def test_reports_errors_of_parameters_without_a_field(self, support, query):
        response = support.get(f"/messages/?{query}")
        assert response.status_code == 400
        assert 'role="alert"' in text_of(response)
        assert 'hx-get="/messages/columns/' in text_of(response)

    def test_rejects_null_characters(self, support):
        assert support.get("/messages/?service_name=a%00b").status_code == 400

    def test_escapes_the_values_of_a_filter(self, support):
        page = text_of(support.get("/messages/?operation_name=<script>alert(1)</script>"))
        assert "<script>alert" not in page

    def test_shows_the_first_steps_only_without_messages_and_filters(self, support):
        assert not support.get("/messages/").context["first_steps"].has_messages
        assert support.get("/messages/?state=OK").context["first_steps"] is None
        make_message()
        assert support.get("/messages/").context["first_steps"] is None

    def test_offers_the_archive_and_a_search_if_nothing_matches(self, support):
        make_message(service_name="billing", source_system="CRM")
        response = support.get("/messages/?service_name=billing&source_system=NOPE")
        assert response.context["has_removable_filters"]
        assert "Search the archive" in text_of(response)
        assert response.context["search"] is None
        assert support.get("/messages/?service_name=none").context["search"] is None
        assert support.get("/messages/?correlation_id=none").context["search"].text == "none"

    def test_shows_the_archive_if_requested(self, support):
        make_message()
        old = make_archived_message()
        response = support.get("/messages/?archived=true")
        assert [row.pk for row in response.context["rows"]] == [old.pk]

    def test_offers_no_search_of_payloads_to_users_who_may_not_read_them(self, support):
        assert "payload:" not in text_of(support.get("/messages/suggest/?q=payl"))
        assert "payload:" in text_of(client_of_reader().get("/messages/suggest/?q=payl"))

    @pytest.mark.usefixtures("lasting_menu_counts")
    def test_runs_a_limited_number_of_queries(self, support, django_assert_max_num_queries):
        for _ in range(60):
            make_message(state="FAILED", failed_desc="x")
        support.get("/messages/")
        with django_assert_max_num_queries(19):
            support.get("/messages/")

    def test_is_small_with_every_column(self):
        user = make_user("support", username="wide")
        keep_table(user=user, columns=[column.name for column in COLUMNS.others])
        client = Client()
        client.force_login(user)
        make_wide_messages(60)
        page = client.get("/messages/?service_name=billing").content
        assert page.count(b"<tr data-row") == 25
        assert len(page) < 100_000
        assert len(gzip.compress(page)) < 25_000
        assert client.get("/messages/?page_size=50").content.count(b"<tr data-row") == 50

    def test_is_small_with_a_long_query(self, support):
        make_wide_messages(60)
        query = (
            "archived=any&service_name=billing&state=FAILED&receive_timestamp_from=2026-10-01T00%3A00%3A00.5Z"
        )
        query += "&funnel_component_id=funnel_subscription&failed_error_code=E103&service_name_not=orders"
        page = support.get(f"/messages/?{query}").content
        assert page.count(b"<tr data-row") == 40
        assert len(page) < 100_000
        assert support.get("/messages/?service_name=billing").content.count(b"<tr data-row") == 50

    def test_loads_its_menus_when_they_are_opened(self, support):
        page = text_of(support.get("/messages/?state=FAILED"))
        assert 'value="density"' not in page
        part = support.get("/messages/columns/?state=FAILED", headers={"HX-Request": "true"})
        assert (
            text_of(part).lstrip().startswith('<form class="u-stack" method="post" action="/messages/table/"')
        )
        assert '<input type="hidden" name="query" value="?state=FAILED">' in text_of(part)

    @pytest.mark.parametrize(
        ("line", "address"),
        [
            ("", "/messages/"),
            ("state:failed received:>-2h", "/messages/?state=FAILED&receive_timestamp_from=-2h"),
            ('service:"a b"', "/messages/?service_name=a%20b"),
            (" 4711 ", "/messages/find/?id=4711"),
        ],
    )
    def test_turns_a_submitted_line_into_an_address(self, support, line, address):
        assert support.get("/messages/", {"q": line}).url == address

    def test_carries_the_order_on(self, support):
        response = support.get("/messages/", {"q": "state:OK", "ordering": "msg_id", "page_size": ""})
        assert response.url == "/messages/?state=OK&ordering=msg_id"

    def test_shows_an_invalid_query_line_as_typed(self, support):
        response = support.get("/messages/", {"q": "servce:<b> state:OK"})
        page = text_of(response)
        assert response.status_code == 400
        assert 'value="servce:&lt;b&gt; state:OK"' in page
        assert "<mark>servce:&lt;b&gt;</mark> state:OK" in page
        assert 'role="alert"' in page
        assert 'aria-invalid="true"' in page

    def test_pages_a_relative_range_from_the_same_now(self, support):
        made = [make_message(receive_timestamp=timezone.now() - timedelta(minutes=each)) for each in range(5)]
        first = support.get("/messages/?receive_timestamp_from=-1h&page_size=2")
        second = support.get("/messages/" + first.context["older"])
        assert "receive_timestamp_from=-1h&" in first.context["older"]
        assert [row.pk for row in second.context["rows"]] == [message.pk for message in made[2:4]]

    def test_links_to_messages_with_the_query_of_the_list(self, support):
        message = make_message(state="FAILED")
        page = text_of(support.get("/messages/?state=FAILED&ordering=msg_id"))
        assert f'href="/messages/{message.pk}/?state=FAILED&amp;ordering=msg_id"' in page

    def test_shows_the_columns_that_its_reader_chose(self, support):
        make_message(process_id="P-77", guaranteed_order=True)
        assert "P-77" not in text_of(support.get("/messages/"))
        support.post("/messages/table/", {"columns": ["process", "ordered"], "density": "compact"})
        page = text_of(support.get("/messages/"))
        assert "P-77" in page
        assert "is-compact" in page
        assert "Guaranteed order" in page

    def test_marks_children_parents_and_funnels(self, support):
        parent = make_message(state="WAITING")
        make_funnel(make_message(parent_msg_id=parent.pk, parent_binding_type="HARD"), funnel_value="F-1")
        page = text_of(support.get("/messages/"))
        assert f"Child of {parent.pk}, HARD" in page
        assert f"Children of {parent.pk}" in page
        assert "Messages in funnel F-1" in page

    def test_offers_a_longer_time_range_if_nothing_was_found(self, support):
        make_message()
        page = text_of(support.get("/messages/?receive_timestamp_from=-1h&state=NEW"))
        assert "Search any time" in page


@pytest.mark.django_db(transaction=True)
class TestListThatTakesTooLong:
    def test_explains_how_to_narrow_the_list(self):
        support = client_of("support")
        with connection.cursor() as cursor, locked("message"):
            cursor.execute("SET statement_timeout = '300ms'")
            response = support.get("/messages/?state=FAILED")
            cursor.execute("RESET statement_timeout")
        assert response.status_code == 503
        assert "Retry-After" in response.headers
        assert "state=FAILED&amp;receive_timestamp_from=-1h" in text_of(response)


@contextmanager
def locked(table: str) -> Iterator[None]:
    """Keep everyone else out of a table."""
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None}) as other:
        other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield
        other.rollback()


def client_of_reader() -> Client:
    return reader_of("support", username="reader")


class TestPage:
    def test_has_the_choices_if_there_are_messages(self):
        client = client_of("operator")
        assert "/jobs/new/" not in text_of(client.get("/messages/?state=FAILED"))
        make_message(state="FAILED")
        assert "/jobs/new/?kind=restart&amp;state=FAILED" in text_of(client.get("/messages/?state=FAILED"))


class TestSlowFilter:
    def test_shows_the_page_before_the_scan_has_ended_and_continues_it(self, monkeypatch):
        make_messages(3_000)
        address = (
            f"/messages/?payload_contains=nothing-has-this&receive_timestamp_from={NOON:%Y-%m-%dT%H:%M:%SZ}"
        )
        client = reader_of("support")
        monkeypatch.setattr(views, "FIRST_PATIENCE", 0)
        page = text_of(client.get(address))
        assert "0 found</span> so far" in page
        assert re.search(r'id="search-progress"[^>]*hx-get="[^"]*cursor=[^"]*" hx-trigger="load"', page)
        rest = text_of(client.get(address, headers={"HX-Request": "true"}))
        assert 'id="search-progress"' not in rest

    def test_gives_no_number_of_rows_to_screen_readers_before_the_scan_has_ended(self, monkeypatch):
        make_messages(3_000)
        make_message(state="OK", payload="<a>only-this</a>", receive_timestamp=NOON + timedelta(days=1))
        address = f"/messages/?payload_contains=only-this&receive_timestamp_from={NOON:%Y-%m-%dT%H:%M:%SZ}"
        client = reader_of("support")
        assert "Messages, 1 on this page, newest" in text_of(client.get(address))
        monkeypatch.setattr(views, "FIRST_PATIENCE", 0)
        assert "Messages, newest" in text_of(client.get(address))
