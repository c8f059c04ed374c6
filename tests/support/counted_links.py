"""Follows the links of pages, and lists the rows that they lead to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from django.test import Client
from lxml import html

# Names that differ from "pad" only in what cannot be seen, and names that an address or a list could change.
ODD_NAMES = (
    "pad",
    "pad   ",
    " pad",
    "pad\t",
    "pad\xa0",
    "pad\u2029",
    "   ",
    "%2F",
    "..",
    "a/b",
    "a,b",
    "\"q'<b>",
    "a+b&c=d#e",
    "\U0001f4e6",
)

# Names of each kind: with blanks, an invisible character, a part of a path, a separator of addresses.
KINDS_OF_NAMES = ("pad   ", "pad\u2029", "..", "a+b&c=d#e")


@dataclass(frozen=True)
class Link:
    """A link of a page: its text, and the address that it leads to."""

    text: str
    address: str

    @property
    def number(self) -> int | None:
        """The number that the text of the link begins with; None if it does not, or says "more than"."""
        found = re.match(r"(\d[\d,\u202f]*)(?: \D*)?\Z", self.text)
        return int(re.sub(r"\D", "", found[1])) if found else None


def links_of(client: Client, address: str) -> Iterator[Link]:
    """Yield the links of a page in its content."""
    response = client.get(address)
    assert response.status_code == 200, (address, response.status_code)
    for link in html.fromstring(response.content).iterfind(".//main//a[@href]"):
        target = urljoin(address, link.get("href"))
        yield Link(text=" ".join(link.text_content().split()), address=target)


def rows_at(client: Client, address: str) -> int:
    """Return how many rows the list at an address has; it must be in its normal form already."""
    response = client.get(address)
    assert response.status_code == 200, (address, response.status_code, response.headers.get("Location"))
    page = html.fromstring(response.content)
    assert not page.xpath("//*[@role='alert' and contains(@class, 'is-error')]"), address
    return len(
        page.xpath("//main//table//tbody/tr[@data-row or ancestor::table[contains(@class, 'c-table-cards')]]")
    )


def ids_at(client: Client, address: str) -> list[int]:
    """Return the ids of the messages that the list at an address shows."""
    response = client.get(address)
    assert response.status_code == 200, (address, response.status_code, response.headers.get("Location"))
    boxes = html.fromstring(response.content).xpath("//tr[@data-row]//input[@name='msg_id']/@value")
    return [int(value) for value in boxes]


def leads_to(link: Link, path: str) -> bool:
    return urlsplit(link.address).path == path and bool(urlsplit(link.address).query)
