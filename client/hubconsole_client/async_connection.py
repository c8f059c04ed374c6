"""The connection of `AsyncClient`: requests, their repetition, and lists."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Generic, Self, TypeVar
from urllib.parse import urlsplit, urlunsplit

import httpx2

from hubconsole_client.errors import NotTrusted, Refused, Unreachable
from hubconsole_client.exchange import Attempts, make_base, make_headers, make_request, read_answer, read_page

Entry = TypeVar("Entry")


class AsyncListing(Generic[Entry]):
    """All entries of a list; pages are requested when they are reached. Each loop requests them again."""

    def __init__(self, connection: "AsyncConnection", path: str, query: Mapping[str, Any]) -> None:
        self._connection, self._path, self._query = connection, path, query

    async def __aiter__(self) -> AsyncIterator[Entry]:
        async for page in self.list_pages():
            for entry in page:
                yield entry

    async def list_pages(self) -> AsyncIterator[list[Entry]]:
        following: Any = self._query
        while following is not None:
            entries, following = read_page(await self._connection.send("GET", self._path, query=following))
            yield entries

    async def find_first(self) -> Entry | None:
        """Return the first entry; None if the list is empty."""
        return await anext(aiter(self), None)


class AsyncConnection:
    """
    Args:
        url: of the console, such as https://hub.example.org
        token: of the API.
        timeout: seconds for one answer.
        patience: seconds during which a request is repeated if the console cannot be reached or is busy.
        verify: False accepts any certificate; an ssl.SSLContext has its own rules.

    Raises:
        ValueError: the address or the token cannot be one.
    """

    def __init__(
        self, url: str, token: str, *, timeout: float = 30.0, patience: float = 60.0, verify: Any = True
    ) -> None:
        self._patience = patience
        self._timeout = timeout
        self._http = httpx2.AsyncClient(
            base_url=make_base(url), headers=make_headers(token), timeout=timeout, verify=verify
        )
        self._add_calls()

    def _add_calls(self) -> None:
        """Add the groups of calls: a method of the generated class."""

    @property
    def address(self) -> str:
        return str(self._http.base_url)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        await self.close()

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | Sequence[tuple[str, str]] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        more_seconds: float = 0.0,
    ) -> Any:
        """
        Send a request, repeat it if that helps, and return the answer. `path` begins below /api/v1/.

        Raises:
            Refused: the console answered with a problem.
            Unreachable: it did not answer for as long as the client is patient.
            NotTrusted: its certificate is refused.
        """
        request = make_request(
            method=method, query=query, body=body, idempotency_key=idempotency_key, if_match=if_match
        )
        content, _ = await self._repeat_request(
            method, path, request | {"timeout": self._timeout + more_seconds}
        )
        return content

    async def read_tag(self, path: str) -> str:
        """
        Return the ETag of what is at a path, for `if_match`. `path` begins below /api/v1/.

        Raises: as `send`. ValueError: it has none.
        """
        _, headers = await self._repeat_request("GET", path, {})
        if "ETag" not in headers:
            raise ValueError(f"{path} has no ETag.")
        return headers["ETag"]

    async def _repeat_request(
        self, method: str, path: str, request: dict[str, Any]
    ) -> tuple[Any, Mapping[str, str]]:
        attempts = Attempts(patience=self._patience, is_repeatable=method in ("GET", "POST"))
        while True:
            try:
                return await self._send_once(method, path, request)
            except (Refused, Unreachable) as failure:
                seconds = attempts.count_seconds(failure)
                if seconds is None:
                    raise
            await self.wait(seconds)

    async def stream_file(self, address: str) -> AsyncIterator[bytes]:
        """
        Yield the content of a file whose address the console gave, also if it leads to an object store.

        It is requested from the address of this client, under which the console is reached from here.
        """
        parts = urlsplit(address)
        path = str(self._http.base_url.join(urlunsplit(("", "", parts.path, parts.query, ""))))
        try:
            async with self._http.stream("GET", path, follow_redirects=True) as answer:
                if answer.status_code != 200:
                    read_answer(answer.status_code, answer.headers, await answer.aread())
                async for chunk in answer.aiter_bytes():
                    yield chunk
        except httpx2.TransportError as error:
            raise Unreachable(f"The file did not arrive: {error}", may_have_acted=False) from error

    def list_all(self, path: str, *, query: Mapping[str, Any] | None = None) -> AsyncListing[Any]:
        return AsyncListing(self, path, query or {})

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _send_once(
        self, method: str, path: str, request: dict[str, Any]
    ) -> tuple[Any, Mapping[str, str]]:
        try:
            answer = await self._http.request(method, path, **request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            if _is_certificate_refused(error):
                raise NotTrusted(f"The certificate of the console is not trusted: {error}") from error
            raise Unreachable(f"The console cannot be reached: {error}", may_have_acted=False) from error
        except httpx2.TransportError as error:
            text = f"The answer did not arrive: {type(error).__name__} {error}"
            raise Unreachable(text, may_have_acted=True) from error
        return read_answer(answer.status_code, answer.headers, answer.content), answer.headers


def _is_certificate_refused(error: BaseException | None) -> bool:
    """Return whether a fault of TLS, which httpx2 wraps, is behind an error."""
    while error and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error is not None
