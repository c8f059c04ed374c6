import pytest

from messages_app.document_history.decision import identify_document
from messages_app.document_history.states import Rule


class TestIdentify:
    @pytest.mark.parametrize(
        ("given", "uuid"),
        [
            ({"uuid": "u", "track_id": "t", "event_id": "e"}, "u"),
            ({"uuid": "", "track_id": "t", "event_id": "e"}, "t"),
            ({"uuid": " \t", "track_id": "", "event_id": "e"}, "e"),
            ({"uuid": "x" * 96}, "x" * 96),
            ({"uuid": "ü" * 96}, "ü" * 96),
        ],
    )
    def test_uses_the_first_field_with_a_value(self, given, uuid):
        assert identify_document(**given).uuid == uuid

    @pytest.mark.parametrize(
        ("given", "lack"),
        [
            ({"uuid": "x" * 97, "track_id": "short"}, Rule.UUID_TOO_LONG),
            ({"track_id": "x" * 97, "event_id": "short"}, Rule.UUID_TOO_LONG),
            ({}, Rule.NO_UUID),
            ({"uuid": " ", "track_id": "\n", "event_id": ""}, Rule.NO_UUID),
        ],
    )
    def test_assigns_none_if_that_value_is_too_long_or_all_are_missing(self, given, lack):
        found = identify_document(**given)
        assert found.uuid is None
        assert found.lack is lack

    def test_neither_trims_nor_folds(self):
        assert identify_document(uuid=" A ").uuid == " A "
        assert identify_document(uuid="e\u0301").uuid != identify_document(uuid="\u00e9").uuid
