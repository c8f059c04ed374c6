"""Each format as a whole. Servers that check them are in tests/messages_app/core/deliveries/products.py."""

from datetime import UTC, datetime

import pytest

from messages_app.core.deliveries.formats import Report, Request, Target, check_target, write_request
from messages_app.core.problems import Problem
from tests.messages_app.core.deliveries.products import API_KEY, ROUTING_KEY

NAMES = {"url": "webhook_url", "format": "webhook_format", "key": "webhook_key"}
PAGERDUTY = "https://events.pagerduty.com/v2/enqueue"
OPSGENIE = "https://api.opsgenie.com/v2/alerts"


def report(**columns: object) -> Report:
    values = {
        "title": "Alert: <b>Failed</b>",
        "facts": {"Value": "3", "Limit": "2"},
        "content": {"alert_id": 7},
        "at": datetime(2026, 11, 1, 12, tzinfo=UTC),
        "incident": "hubconsole-alert-7-1",
    }
    return Report(**values | columns)


def written(format: str, *, url: str = "https://h.example/x", key: str = "", **columns: object) -> Request:
    return write_request(Target(url=url, format=format, key=key), report(**columns))


def plain(text: str) -> dict[str, object]:
    return {"type": "plain_text", "text": text, "emoji": False}


class TestStandard:
    def test_has_the_content_as_it_is(self):
        assert written("standard") == Request(url="https://h.example/x", content={"alert_id": 7})


class TestSlack:
    def test_has_blocks_of_plain_text_and_an_escaped_text_for_notifications(self):
        assert written("slack", text="first\nsecond").content == {
            "text": "Alert: &lt;b&gt;Failed&lt;/b&gt;",
            "blocks": [
                {"type": "header", "text": plain("Alert: <b>Failed</b>")},
                {"type": "section", "text": plain("Value: 3\nLimit: 2\nfirst\nsecond")},
            ],
        }

    def test_mentions_no_one(self):
        content = written("slack", title="<!channel> & <@U1>").content
        assert content["text"] == "&lt;!channel&gt; &amp; &lt;@U1&gt;"

    def test_has_a_long_text_in_several_blocks(self):
        lines = [f"{number:05} {'x' * 94}" for number in range(100)]
        blocks = written("slack", facts={}, text="\n".join(lines), title="t" * 200).content["blocks"]
        assert [len(block["text"]["text"]) for block in blocks] == [150, 2827, 2827, 2827, 1615]
        assert blocks[0]["text"]["text"] == "t" * 149 + "…"
        assert "\n".join(block["text"]["text"] for block in blocks[1:]).split("\n") == lines


class TestTeams:
    def test_is_an_adaptive_card_without_markdown(self):
        assert written("teams").content == {
            "type": "message",
            "attachments": [
                {
                    "contentType": "application/vnd.microsoft.card.adaptive",
                    "contentUrl": None,
                    "content": {
                        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                        "type": "AdaptiveCard",
                        "version": "1.4",
                        "body": [
                            {
                                "type": "RichTextBlock",
                                "inlines": [
                                    {
                                        "type": "TextRun",
                                        "text": "Alert: <b>Failed</b>",
                                        "weight": "Bolder",
                                        "size": "Medium",
                                    }
                                ],
                            },
                            {
                                "type": "RichTextBlock",
                                "inlines": [{"type": "TextRun", "text": "Value: 3\nLimit: 2"}],
                            },
                        ],
                    },
                }
            ],
        }


class TestPagerDuty:
    def test_triggers_an_incident(self):
        assert written("pagerduty", url=PAGERDUTY, key=ROUTING_KEY, text="more") == Request(
            url=PAGERDUTY,
            content={
                "routing_key": ROUTING_KEY,
                "event_action": "trigger",
                "dedup_key": "hubconsole-alert-7-1",
                "client": "Hub Console",
                "payload": {
                    "summary": "Alert: <b>Failed</b>",
                    "source": "Hub Console",
                    "severity": "error",
                    "timestamp": "2026-11-01T12:00:00+00:00",
                    "custom_details": {"Value": "3", "Limit": "2", "Text": "more"},
                },
            },
        )

    def test_resolves_it_by_the_same_key(self):
        assert written("pagerduty", url=PAGERDUTY, key=ROUTING_KEY, is_over=True).content == {
            "routing_key": ROUTING_KEY,
            "event_action": "resolve",
            "dedup_key": "hubconsole-alert-7-1",
        }


class TestOpsgenie:
    def test_creates_an_alert(self):
        assert written("opsgenie", url=OPSGENIE, key=API_KEY, title="t" * 131) == Request(
            url=OPSGENIE,
            headers={"Authorization": f"GenieKey {API_KEY}"},
            content={
                "message": "t" * 129 + "…",
                "alias": "hubconsole-alert-7-1",
                "description": "Value: 3\nLimit: 2",
                "details": {"Value": "3", "Limit": "2"},
                "source": "Hub Console",
            },
        )

    def test_closes_it_by_its_alias(self):
        assert written(
            "opsgenie", url=OPSGENIE, key=API_KEY, title="Closed: Failed", is_over=True
        ) == Request(
            url=f"{OPSGENIE}/hubconsole-alert-7-1/close?identifierType=alias",
            headers={"Authorization": f"GenieKey {API_KEY}"},
            content={"source": "Hub Console", "note": "Closed: Failed"},
        )


class TestCheckTarget:
    @pytest.mark.parametrize(
        "target",
        [
            Target(url="https://h.example/x"),
            Target(url="https://h.example/x", format="slack"),
            Target(url="https://h.example/x?a=b", format="teams"),
            Target(url=PAGERDUTY, format="pagerduty", key=ROUTING_KEY),
            Target(url=OPSGENIE, format="opsgenie", key=API_KEY),
        ],
    )
    def test_accepts_what_the_product_needs(self, target):
        check_target(target, names=NAMES)

    @pytest.mark.parametrize(
        ("target", "field", "words"),
        [
            (
                Target(url="https://h.example/", format="fax"),
                "webhook_format",
                "must be one of standard, slack",
            ),
            (Target(url="https://h.example/", key="secret-7"), "webhook_key", "Standard Webhooks has no key"),
            (
                Target(url="https://h.example/", format="slack", key="secret-7"),
                "webhook_key",
                "Slack has no key",
            ),
            (
                Target(url="https://h.example/", format="pagerduty", key=ROUTING_KEY),
                "webhook_url",
                "ends with /v2/enqueue",
            ),
            (Target(url="", format="opsgenie", key=API_KEY), "webhook_url", "ends with /v2/alerts"),
            (Target(url=PAGERDUTY, format="pagerduty"), "webhook_key", "Enter the routing key"),
            (Target(url=PAGERDUTY, format="pagerduty", key="R0"), "webhook_key", "has 32 letters"),
            (Target(url=OPSGENIE, format="opsgenie"), "webhook_key", "Enter the API key"),
            (Target(url=OPSGENIE, format="opsgenie", key="a\nb: c"), "webhook_key", "no spaces"),
        ],
    )
    def test_refuses_anything_else_by_its_field(self, target, field, words):
        with pytest.raises(Problem) as refused:
            check_target(target, names=NAMES)
        [error] = refused.value.errors
        assert error.field == field
        assert words in error.message
        assert not target.key or target.key not in error.message

    def test_target_does_not_show_its_key(self):
        assert "R0" not in repr(Target(url="u", key="R0"))
