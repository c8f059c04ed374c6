"""A browser as far as its cookies go."""

import contextlib
import urllib.parse

from tests.faults.clients import Place


class Browser:
    """The cookies of one user, sent to any host."""

    def __init__(self) -> None:
        self._cookies: dict[str, str] = {}

    def ask(self, place: Place, method: str, path: str, **fields: str) -> int:
        headers = {
            **place.headers,
            "Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items()),
        }
        if method == "POST":
            fields["csrfmiddlewaretoken"] = next(
                value for name, value in self._cookies.items() if name.endswith("csrftoken")
            )
            host = place.headers.get("Host", f"127.0.0.1:{place.port}")
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "Referer": f"https://{host}/"}
        with contextlib.closing(place.connect()) as connection:
            connection.request(method, path, urllib.parse.urlencode(fields) or None, headers)
            answer = connection.getresponse()
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                name, _, value = cookie.partition(";")[0].partition("=")
                self._cookies[name] = value
            answer.read()
            return answer.status

    def log_in(self, place: Place, username: str, password: str) -> int:
        self.ask(place, "GET", "/login/")
        return self.ask(place, "POST", "/login/", username=username, password=password)
