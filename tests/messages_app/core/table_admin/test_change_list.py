"""Changelists read pages by keys, and answer every address."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.factories import NOON, make_message, make_messages
from tests.support.staff import HUB, listed_keys, staff_client

pytestmark = pytest.mark.django_db
LIST = f"{HUB}message/"


def test_lead_to_the_next_page_and_back_without_counting_or_skipping():
    make_messages(120)
    client, pages = staff_client("support"), []
    query = ""
    with CaptureQueriesContext(connection) as sent:
        while query is not None:
            response = client.get(LIST + query)
            cl = response.context["cl"]
            pages.append([row.pk for row in cl.result_list])
            last, query = cl, cl.next_link
    assert [len(page) for page in pages] == [50, 50, 20]
    keys = [key for page in pages for key in page]
    assert keys == sorted(keys, reverse=True)
    assert len(set(keys)) == 120
    # The menu counts messages in a few states: its statements have conditions.
    read = [each["sql"] for each in sent if 'FROM "message"' in each["sql"] and "jump" not in each["sql"]]
    assert len([sql for sql in read if "LIMIT 51" in sql]) == 3
    assert not [sql for sql in read if "OFFSET" in sql or ("COUNT(" in sql and "WHERE" not in sql)]
    back = client.get(LIST + last.previous_link)
    assert [row.pk for row in back.context["cl"].result_list] == pages[1]


def test_keep_filters_on_the_next_page_but_not_the_page_in_other_filters():
    for number in range(60):
        make_message(state="FAILED" if number % 6 else "OK")
    client = staff_client("support")
    cl = client.get(f"{LIST}?state=FAILED").context["cl"]
    assert cl.next_link is None
    make_messages(60)
    first = client.get(f"{LIST}?state=OK").context["cl"]
    second = client.get(LIST + first.next_link).context["cl"]
    assert {row.state for row in [*first.result_list, *second.result_list]} == {"OK"}
    assert len([*first.result_list, *second.result_list]) == 70
    others = [choice["query_string"] for spec in second.filter_specs for choice in spec.choices(second)]
    assert others
    assert not [query for query in others if "cursor" in query]


def test_accept_relative_times_and_keep_their_meaning_on_the_next_page():
    client = staff_client("support")
    old = make_message(receive_timestamp=NOON)
    cl = client.get(f"{LIST}?receive_timestamp_from=2026-11-01T12:00:00Z").context["cl"]
    assert [row.pk for row in cl.result_list] == [old.pk]
    assert listed_keys(client, f"{LIST}?receive_timestamp_from=-1h") == []


def test_sort_only_by_columns_that_an_index_sorts():
    early = make_message(receive_timestamp=NOON)
    late = make_message(msg_id=early.pk - 1, receive_timestamp=NOON.replace(hour=13))
    client = staff_client("support")
    assert listed_keys(client, LIST) == [str(early.pk), str(late.pk)]
    page = client.get(LIST)
    headers = page.context["cl"].list_display
    by_time = headers.index("receive_timestamp")
    assert listed_keys(client, f"{LIST}?o=-{by_time}") == [str(late.pk), str(early.pk)]
    assert listed_keys(client, f"{LIST}?o={by_time}") == [str(early.pk), str(late.pk)]
    assert page.content.decode().count('class="sortable') == 2


@pytest.mark.parametrize(
    "query",
    [
        "p=2",
        "p=-1",
        "p=99999999999999999999",
        "p=zzz",
        "all=",
        "all=1",
        "e=1",
        "o=zzz",
        "o=99.-99.1.-2",
        f"o={'9' * 5000}",
        "q=",
        "q=%20",
        "q=a%00b",
        f"q={'x' * 3000}",
        f"q={'9' * 40}",
        "_facets=True",
        "state=",
    ],
)
def test_answer_parameters_of_the_framework(query):
    make_message()
    assert staff_client("support").get(f"{LIST}?{query}").status_code == 200


@pytest.mark.parametrize(
    "query",
    [
        "payload__contains=Ada",
        "payload_contains=Ada",
        "envelope__startswith=x",
        "msg_id=1",
        "archived=true",
        "family=failed",
        "state__in=OK",
        "state=NONE",
        "state=OK&process_id=x&process_id=y",
        "parent_msg_id=zzz",
        "parent_msg_id=99999999999999999999",
        "correlation_id=" + "x" * 101,
        "service_name=a%00b",
        "receive_timestamp_from=yesterday-ish",
        "receive_timestamp_from=99999-01-01T00:00:00Z",
        "cursor=zzz",
        "cursor=",
        "at=zzz",
        "nope=1",
        "_to_field=payload",
    ],
)
def test_refuse_other_parameters(query):
    make_message()
    assert staff_client("support").get(f"{LIST}?{query}").status_code == 400


def test_name_the_parameter_that_is_refused():
    client = staff_client("support")
    for query in ("payload__contains=Ada", "parent_msg_id=zzz", "state=NONE", "correlation_id=a%00b"):
        response = client.get(f"{LIST}?{query}")
        assert response.status_code == 400
        assert query.partition("=")[0] in response.content.decode()


def test_refuse_the_cursor_of_another_filter():
    make_messages(60)
    client = staff_client("support")
    link = client.get(LIST).context["cl"].next_link
    assert client.get(f"{LIST}{link}&state=OK").status_code == 400


def test_show_no_row_for_a_search_without_match():
    make_message()
    response = staff_client("support").get(f"{LIST}?q=nowhere")
    assert list(response.context["cl"].result_list) == []
    assert "A search finds only complete ids" in response.content.decode()
