import pytest

from messages_app.shared.error_keys import Says, read_key


class TestReadKey:
    @pytest.mark.parametrize(
        "key", ["code", "errorCode", "ERROR_TYPE", "fault-type", "replyCode", "inner_error_code"]
    )
    def test_knows_keys_of_codes(self, key):
        assert read_key(key) is Says.CODE

    @pytest.mark.parametrize(
        "key", ["message", "errorText", "debug_message", "statusDescription", "userMessage"]
    )
    def test_knows_keys_of_sentences(self, key):
        assert read_key(key) is Says.TEXT

    @pytest.mark.parametrize("key", ["field", "fieldName", "propertyPath", "invalid_field", "jsonPath"])
    def test_knows_keys_of_fields(self, key):
        assert read_key(key) is Says.FIELD

    @pytest.mark.parametrize(
        "key",
        ["countryCode", "zip_code", "messageId", "error_id", "productDescription", "customerName", "", "_"],
    )
    def test_ignores_others(self, key):
        assert read_key(key) is Says.NOTHING
