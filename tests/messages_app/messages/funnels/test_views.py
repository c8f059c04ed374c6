import pytest
from django.test import Client

from tests.messages_app.messages.funnels.test_lanes import MINUTE, in_funnel
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader() -> Client:
    client = Client()
    client.force_login(make_user("support"))
    return client


def _text(client: Client, query: str = "") -> str:
    response = client.get(f"/funnels/{query}")
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


class TestFunnelList:
    def test_shows_which_message_holds_a_value(self, reader):
        holder = in_funnel("7", state="PROCESSING", ago=3 * MINUTE)
        in_funnel("7")
        assert f'Held by <a href="/messages/{holder.pk}/">{holder.pk}</a>' in _text(reader)

    def test_shows_which_message_blocks_an_order(self, reader):
        head = in_funnel("7", state="FAILED", guaranteed_order=True, ago=9 * MINUTE)
        in_funnel("7", guaranteed_order=True)
        assert f'Blocked until <a href="/messages/{head.pk}/">{head.pk}</a> is restarted' in _text(reader)

    def test_shows_that_the_time_of_an_order_is_over(self, reader):
        in_funnel("7", state="WAITING", guaranteed_order=True, ago=9 * MINUTE)
        in_funnel("7", guaranteed_order=True, ago=6 * MINUTE)
        assert "Messages that wait longer than 5 min fail with E121." in _text(reader)

    def test_shows_that_a_message_blocks_itself(self, reader):
        in_funnel("7", "8")
        assert "Stuck:" in _text(reader)

    def test_has_a_button_for_the_advised_action(self, reader):
        head = in_funnel("7", state="FAILED", guaranteed_order=True, ago=9 * MINUTE)
        in_funnel("7", guaranteed_order=True)
        itself = in_funnel("8", "9")
        operator = Client()
        operator.force_login(make_user("operator", username="grace"))
        for address in (f"/messages/{head.pk}/restart/", f"/messages/{itself.pk}/cancel/"):
            assert f'href="{address}"' in _text(operator)
            assert f'href="{address}"' not in _text(reader)

    @pytest.mark.parametrize(("ago", "words"), [(MINUTE, "Free:"), (9 * MINUTE, "not picked up")])
    def test_shows_that_a_value_is_free(self, reader, ago, words):
        in_funnel("7", ago=ago)
        assert words in _text(reader)

    def test_shows_the_whole_line_of_one_funnel(self, reader):
        holder = in_funnel("7", state="PROCESSING", ago=3 * MINUTE)
        for _ in range(12):
            in_funnel("7")
        assert "+ 2 more" in _text(reader)
        whole = _text(reader, "?value=7&component=f")
        assert whole.count(f'held by <a href="/messages/{holder.pk}/">') == 12
        assert "/messages/?funnel_value=7" in whole
        in_funnel("7", state="PROCESSING", funnel_component_id="g")
        assert reader.get("/funnels/?value=7").context["is_whole"] is False
        assert reader.get("/funnels/?value=7&component=g").context["is_whole"] is True
        assert reader.get("/funnels/?component=g").context["is_whole"] is False

    def test_escapes_stored_values(self, reader):
        in_funnel("<script>&\"'", funnel_component_id="<b>?&")
        text = _text(reader)
        assert "<script>&" not in text
        assert "?value=%3Cscript%3E%26%22%27&amp;component=%3Cb%3E%3F%26" in text
        assert "Reason" in _text(reader, "?value=%3Cscript%3E%26%22%27&component=%3Cb%3E%3F%26")

    def test_stays_small_with_every_lane_full(self, reader):
        for number in range(16):
            for _ in range(4):
                in_funnel(f"{number}" * 25, state="PROCESSING")
            for _ in range(11):
                in_funnel(f"{number}" * 25)
        assert len(reader.get("/funnels/").content) < 150_000

    def test_explains_empty_lists(self, reader):
        assert "All funnels are free" in _text(reader)
        assert "No messages are waiting" in _text(reader, "?blocked=true")
        assert "Nothing holds or waits here" in _text(reader, "?value=7&component=f")

    def test_ignores_empty_fields(self, reader):
        response = reader.get("/funnels/?value=&component=f")
        assert (response.status_code, response.url) == (302, "/funnels/?component=f")
        assert reader.get("/funnels/?value=").url == "/funnels/"

    @pytest.mark.parametrize(
        ("query", "text"),
        [
            (f"?value={'v' * 51}", "value can have at most 50 characters."),
            ("?zzz=1", "Unknown parameter"),
            ("?ordering=zzz", "ordering must be one of"),
            ("?cursor=zzz", "This cursor is not valid for this list."),
            ("?value=1&value=2", "value is given more than once."),
        ],
    )
    def test_reports_invalid_filters(self, reader, query, text):
        response = reader.get(f"/funnels/{query}")
        assert response.status_code == 400
        assert text in response.content.decode()
        assert response.context["problem"].status == 400
        assert response.context["other_errors"] == [
            message for name, message in response.context["errors"].items() if name != "value"
        ]

    @pytest.mark.parametrize(("query", "order"), [("", "longest"), ("&ordering=most", "most")])
    def test_offers_the_other_order_and_keeps_the_filter(self, reader, query, order):
        shown = reader.get(f"/funnels/?component=f{query}").context
        assert shown["orders"] == [
            {"text": "Longest wait first", "query": "?component=f", "is_on": order == "longest"},
            {"text": "Most waiting first", "query": "?component=f&ordering=most", "is_on": order == "most"},
        ]
        hidden = '<input type="hidden" name="blocked" value="true">'
        assert [
            hidden in _text(reader, asked) for asked in ("?component=f", "?component=f&blocked=true")
        ] == [False, True]
        assert (shown["without_blocked"], shown["only_blocked"]) == (
            f"?component=f{query}",
            f"?component=f{query}&blocked=true",
        )

    def test_requires_a_permission(self):
        client = Client()
        assert client.get("/funnels/").status_code == 302
        client.force_login(make_user())
        assert client.get("/funnels/").status_code == 403
