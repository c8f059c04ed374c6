import pytest

from messages_app.shared.error_bodies import read_body


class TestReadBody:
    @pytest.mark.parametrize("text", ["", "no body", "a {b} c", "a < b", "{'lines': 3}", "<p>hello</p>"])
    def test_is_empty_without_codes_and_messages(self, text):
        assert read_body(text) is None

    def test_has_codes_fields_and_status_of_json(self):
        body = read_body(
            '422 {"status":422,"errors":[{"code":"too_long","field":"lines[3].name","rejected":"x"}]}'
        )
        assert (body.before, body.status, body.codes, body.fields) == (
            "422 ",
            422,
            ["too_long"],
            ["lines.name"],
        )

    def test_has_the_message_only_if_no_code_names_the_cause(self):
        assert read_body('{"code":"ACCOUNT_CLOSED","message":"12 is closed"}').text == ""
        assert read_body('{"code":"VALIDATION_ERROR","message":"12 is closed"}').text == "12 is closed"
        assert read_body('{"code":"4711","message":"12 is closed"}').text == "12 is closed"

    def test_reads_json_that_is_cut(self):
        assert read_body('{"code":"ACCOUNT_CLOSED","message":"the acc').codes == ["ACCOUNT_CLOSED"]

    def test_has_the_code_and_text_of_a_soap_fault(self):
        body = read_body(
            "<s:Fault><faultcode>1001</faultcode><faultstring>no &amp; no</faultstring></s:Fault>"
        )
        assert (body.codes, body.text) == (["1001"], "no &amp; no")

    def test_drops_codes_that_many_causes_share(self):
        assert read_body("<F><faultcode>soap:Server</faultcode><faultstring>no</faultstring></F>").codes == []

    def test_has_the_title_of_a_page(self):
        assert read_body("<html><title>502 Bad Gateway</title><h1>Oh</h1></html>").text == "502 Bad Gateway"
