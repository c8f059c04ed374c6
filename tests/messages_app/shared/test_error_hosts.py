import pytest

from messages_app.shared.error_hosts import find_host
from messages_app.shared.error_statuses import describe_status
from messages_app.shared.error_titles import describe_cause, title_of


class TestFindHost:
    def test_leaves_out_the_dot_that_ends_a_sentence(self):
        assert find_host("No answer from https://API.example.com. Retry later") == "api.example.com"

    @pytest.mark.parametrize(
        "text",
        [
            "at org.springframework.ws.client.core.WebServiceTemplate.sendRequest",
            "at org.springframework.ws.client.cor",
            "at org.springframework.ws.client.co",
            "at com.example.hub",
            "error in io.netty.channel",
            "jakarta.ws.rs",
            "Main.java:12",
            "config foo.xml: not well formed",
            "at app.module.ts",
            "cannot load lib.so",
            "key store hub.jks was not found",
        ],
    )
    def test_leaves_out_names_of_classes_packages_and_files(self, text):
        assert find_host(text) == ""

    @pytest.mark.parametrize("host", ["pay.bank.example", "api.acme.io", "net.corp.example", "hub.com"])
    def test_finds_hosts_that_look_like_names_of_classes(self, host):
        assert find_host(f"{host} does not answer") == host


class TestPlainUrl:
    @pytest.mark.parametrize(
        ("address", "plain"),
        [
            ("https://api.example.com", "api.example.com"),
            ("https://api.example.com:8443", "api.example.com"),
            ("https://api.example.com/orders", "api.example.com/orders"),
        ],
    )
    def test_leaves_out_the_dot_that_ends_a_sentence(self, address, plain):
        ended, other = (f"HTTP 503 from {address}{dot} Retry later" for dot in (".", ""))
        title = f"Service unavailable (HTTP 503) by {plain}: from … later"
        assert (describe_status(ended), describe_status(other)) == (title, title)
        assert (title_of(ended), title_of(other)) == (title, title)
        assert describe_cause(ended) == describe_cause(other)

    def test_gives_a_text_without_a_status_one_cause_with_and_without_the_dot(self):
        ended, other = (f"No answer from https://api.example.com{dot}" for dot in (".", ""))
        assert describe_cause(ended) == describe_cause(other)
        assert "api.example.com" in describe_cause(ended)
