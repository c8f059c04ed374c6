"""
The rules for the sizes and titles of pages, measured in the browser in one evaluation.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from playwright.sync_api import Page

PHONE = "390"
# The width and height of the window; that of "zoomed" is 1440 × 900 at 200 %.
SIZES = {"1440": (1440, 900), "1024": (1024, 768), "zoomed": (720, 450), PHONE: (390, 844)}
SCHEMES = ("light", "dark")
WIDE = "1440"
MESSAGES, COMPACT, LIST = 16, 24, 14

_MEASURE = """
async () => {
  const root = document.documentElement;
  const isShown = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(isShown);
  const isClipped = (element) => element !== null &&
    (getComputedStyle(element).clipPath.startsWith("inset(50%") || isClipped(element.parentElement));
  const heightOf = (selector) => all(selector)[0]?.getBoundingClientRect().height ?? 0;
  const shifts = [];
  const observer = new PerformanceObserver((entries) => shifts.push(...entries.getEntries()));
  observer.observe({ type: "layout-shift", buffered: true });
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  shifts.push(...observer.takeRecords());
  const answer = all("[data-answer]")[0]?.getBoundingClientRect();
  const list = all('[data-answer="list"] table, table[data-answer="list"]')[0];
  const rows = list ? [...list.tBodies].flatMap((body) => [...body.rows]).filter(isShown).slice(0, 10) : [];
  const heights = rows.map((row) => row.getBoundingClientRect().height);
  const cells = all('[data-answer="list"] td, table[data-answer="list"] td');
  const chart = heightOf(".c-histogram");
  const headEnd = all(".c-head")[0]?.getBoundingClientRect().bottom ?? 0;
  return {
    overflow: root.scrollWidth - root.clientWidth,
    primaries: all(".c-button-main, .c-button-danger-main").map((one) => one.textContent.trim()),
    clipped: all("a[href], button, input, select, textarea, summary")
      .filter((one) => one.checkVisibility({ visibilityProperty: true }) && isClipped(one.parentElement))
      .map((one) => one.outerHTML.slice(0, 90)),
    bar: heightOf(".c-topbar"),
    head: heightOf(".c-head"),
    answer: answer ? [answer.top, answer.height] : null,
    titles: all("h1, h2, .c-group-title, .u-strong-link").map((one) => one.textContent.trim().slice(0, 200)),
    heads: all("h1, h2").map((one) => one.textContent.trim()),
    shift: shifts.filter((one) => !one.hadRecentInput).reduce((sum, one) => sum + one.value, 0),
    shifted: shifts.filter((one) => !one.hadRecentInput).flatMap((one) => one.sources)
      .map(({ node }) => node?.outerHTML?.slice(0, 90) ?? String(node)).slice(0, 4),
    height: innerHeight,
    exact: cells.map((one) => one.innerText.trim())
      .filter((text) => /\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d/.test(text)).map((text) => text.slice(0, 60)),
    vague: cells.filter((one) => / ago$/.test(one.innerText.trim()) && !one.querySelector("time"))
      .map((one) => one.innerText.trim().slice(0, 60)),
    chart,
    tools: list ? Math.round(list.getBoundingClientRect().top + scrollY - headEnd - chart) : 0,
    rowHeight: Math.max(0, ...heights),
    firstRow: rows.length ? rows[0].getBoundingClientRect().top + scrollY : null,
    isCompact: list?.closest(".is-compact") != null,
    isOfMessages: list?.closest(".c-rows") != null,
  };
}
"""
# A qualified name, or a name that ends like those of exceptions and begins a title.
_JAVA_NAME = re.compile(r"\b[a-z]\w*(\.[a-z]\w*)+\.[A-Z]\w+|^\w*[a-z](Exception|Error)\b")


@dataclass(frozen=True)
class Fault:
    """A rule that a page breaks, with the figure or text that breaks it."""

    rule: str
    detail: object


def measure_page(page: Page, size: str, scheme: str) -> Mapping:
    """Show the open page at a size and in colours, and measure it."""
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)
    measured: Mapping = page.evaluate(_MEASURE)
    return measured


def list_faults(measured: Mapping, size: str, *, is_loaded_here: bool) -> Iterable[Fault]:
    """
    Yield the rules that a page breaks at a size.

    Args:
        is_loaded_here: whether the page was loaded at this size. Another size moves its parts.
    """
    if measured["overflow"] > 0:
        yield Fault("no horizontal scrolling", f"{measured['overflow']} px at {size}")
    if len(measured["primaries"]) > 1:
        yield Fault("one primary button", measured["primaries"])
    if measured["clipped"]:
        yield Fault("nothing invisible takes the focus", measured["clipped"][:3])
    if measured["bar"] > 48:
        yield Fault("top bar", measured["bar"])
    if is_loaded_here and round(measured["shift"], 2) > 0:
        yield Fault("nothing jumps", (measured["shift"], measured["shifted"]))
    if names := [title for title in measured["titles"] if _JAVA_NAME.search(title)]:
        yield Fault("no Java name as a title", names)
    if measured["heads"] and (again := measured["heads"][0]) in measured["heads"][1:]:
        yield Fault("the title once", again)
    if measured["exact"]:
        yield Fault("elapsed times in lists", measured["exact"][:3])
    if measured["vague"]:
        yield Fault("exact times as titles", measured["vague"][:3])
    if size in {WIDE, PHONE}:
        yield from _list_faults_of_answer(measured, size)
    if size == WIDE:
        yield from _list_faults_of_space(measured)


def _list_faults_of_answer(measured: Mapping, size: str) -> Iterable[Fault]:
    if measured["answer"] is None:
        yield Fault("answer", "no element has data-answer")
        return
    top, height = measured["answer"]
    if top + min(height, 48) > measured["height"]:
        yield Fault("answer", f"at {top:.0f} px at {size}")


def _list_faults_of_space(measured: Mapping) -> Iterable[Fault]:
    if measured["head"] > 56:
        yield Fault("head", measured["head"])
    if measured["firstRow"] is None:
        return
    if measured["chart"] > 56:
        yield Fault("histogram", measured["chart"])
    if measured["tools"] > 96:
        yield Fault("tabs and filters", measured["tools"])
    if measured["rowHeight"] > (28.5 if measured["isCompact"] else 36.5):
        yield Fault("row", measured["rowHeight"])
    least = (COMPACT if measured["isCompact"] else MESSAGES) if measured["isOfMessages"] else LIST
    rows = int((measured["height"] - measured["firstRow"]) // measured["rowHeight"])
    if rows < least:
        yield Fault("rows", f"{rows} of {least}")
