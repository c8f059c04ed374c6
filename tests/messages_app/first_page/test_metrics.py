import re
from pathlib import Path

import pytest
from django.test import Client

from messages_app.first_page.metrics import CONTENT_TYPE
from messages_app.messages.rollups.folding import fold
from tests.api_client import caller
from tests.factories import make_message

pytestmark = pytest.mark.django_db

PUBLISHED = Path(__file__).parents[3] / "docs/reference/metrics.md"
LINE = re.compile(r'^[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? -?[0-9.e+-]+$')


class TestMetricsView:
    def test_asks_for_a_token(self):
        assert Client().get("/metrics").status_code == 401

    def test_tells_samples_by_the_fields_rules(self):
        make_message(state="FAILED")
        fold()
        reader = caller("support")
        response = reader.client.get("/metrics", headers=reader.headers)
        assert (response.status_code, response.headers["Content-Type"]) == (200, CONTENT_TYPE)
        lines = response.content.decode().splitlines()
        samples = [line for line in lines if not line.startswith("#")]
        assert 'hubconsole_messages{state="FAILED"} 1' in samples
        assert "hubconsole_alerts_open 0" in samples
        assert all(LINE.match(line) for line in samples), samples
        helped = {line.split()[2] for line in lines if line.startswith("# HELP")}
        assert {re.split(r"[{ ]", line)[0] for line in samples} <= helped
        assert helped == set(re.findall(r"`(hubconsole_[a-z_]+)`", PUBLISHED.read_text()))
