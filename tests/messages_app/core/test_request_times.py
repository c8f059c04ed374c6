import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from django.urls import resolve

from messages_app.core import request_times
from messages_app.core.request_times import _Apart


def labels(path: str, *, method: str = "GET", status: int = 200, location: str = "") -> tuple[str, str, str]:
    """Return the labels of the only request of a process."""
    return _labels(_Apart(), path, method=method, status=status, location=location)


def _labels(
    apart: _Apart, path: str, *, method: str = "GET", status: int = 200, location: str = ""
) -> tuple[str, str, str]:
    request = RequestFactory().generic(method, path)
    request.resolver_match = resolve(path) if path else None
    headers = {"Location": location} if location else {}
    return apart.labels_of(request, HttpResponse(status=status, headers=headers))


class TestLabels:
    def test_name_the_view_the_method_and_the_class_of_the_status(self):
        assert labels("/messages/5/") == ("message-detail", "GET", "2xx")
        assert labels("/messages/6/", method="POST", status=404) == ("message-detail", "POST", "4xx")
        assert labels("/jobs/", status=503) == ("job-list", "GET", "5xx")
        assert labels("", status=400) == ("none", "GET", "4xx")

    @pytest.mark.parametrize("status", [401, 403, 405, 429])
    def test_count_requests_that_were_turned_away_together(self, status):
        assert labels("/messages/5/", status=status) == ("refused", "GET", "4xx")

    @pytest.mark.parametrize("location", ["/login/?next=/", "/admin/login/?next=/admin/"])
    def test_count_requests_that_were_sent_to_the_log_in_together(self, location):
        assert labels("/messages/5/", status=302, location=location) == ("refused", "GET", "3xx")
        assert labels("/messages/5/", status=302, location="/jobs/") == ("message-detail", "GET", "3xx")

    def test_count_methods_that_callers_invent_together(self):
        assert labels("/messages/5/", method="BREW", status=400) == ("message-detail", "other", "4xx")
        assert labels("/messages/5/", method="BREW", status=405) == ("refused", "other", "4xx")

    def test_are_at_most_as_many_as_a_process_may_have(self, monkeypatch):
        monkeypatch.setattr(request_times, "MAX_APART", 2)
        apart = _Apart()
        assert _labels(apart, "/jobs/") == ("job-list", "GET", "2xx")
        assert _labels(apart, "/messages/5/") == ("message-detail", "GET", "2xx")
        assert _labels(apart, "/messages/5/", method="POST") == ("other", "POST", "2xx")
        assert _labels(apart, "/jobs/") == ("job-list", "GET", "2xx")
        assert _labels(apart, "/jobs/", status=403) == ("refused", "GET", "4xx")
