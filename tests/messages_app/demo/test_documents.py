import pytest
from lxml import etree

from messages_app.demo import documents
from messages_app.demo.world import OPERATIONS, make_dice

FILL = {
    "correlation_id": "CRM-1",
    "process_id": "",
    "object_id": "C1",
    "reference": "",
    "source_system": "CRM",
    "time": "2026-01-01 00:00:00+00:00",
    "number": 8_999,
    "name": "Zoë Dvořák",
    "city": "Stonebury",
    "postal_code": "10000",
}


def plain(text: str) -> bytes:
    return text.encode()


def payloads(name: str) -> list[str]:
    random = make_dice(1)
    return [documents.payload_template(OPERATIONS[name], random) % FILL for _ in range(300)]


class TestPayloadTemplate:
    @pytest.mark.parametrize("name", OPERATIONS)
    def test_is_well_formed_and_of_1_to_20_kb(self, name):
        for payload in map(plain, payloads(name)):
            assert etree.QName(etree.fromstring(payload)).localname == f"{name}Request"
            assert 1_000 <= len(payload) <= 20_000

    def test_varies_in_size(self):
        assert len({len(payload) for payload in payloads("createInvoice")}) > 6


class TestInEnvelope:
    @pytest.mark.parametrize("name", OPERATIONS)
    def test_wraps_the_payload_as_soap(self, name):
        root = etree.fromstring(plain(documents.wrap_in_envelope(payloads(name)[0], FILL)))
        assert etree.QName(root).localname == "Envelope"
        assert root.findtext(".//{*}applicationID") == "CRM"


class TestRequestEnvelope:
    @pytest.mark.parametrize("name", OPERATIONS)
    def test_is_well_formed(self, name):
        assert etree.fromstring(plain(documents.request_envelope(OPERATIONS[name], FILL))) is not None


class TestResponseEnvelope:
    @pytest.mark.parametrize("name", OPERATIONS)
    def test_is_well_formed(self, name):
        assert etree.fromstring(plain(documents.response_envelope(OPERATIONS[name], FILL))) is not None
