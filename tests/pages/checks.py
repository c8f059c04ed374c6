"""Accessibility checks of every page in the browser: names, order, contrast."""

from collections.abc import Sequence
from enum import Enum

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# Returns what is wrong, in words.
_CHECK = """
() => {
  const wrong = [];
  const shown = (element) => element.getClientRects().length > 0;
  // The admin's framework names small links by titles, and buttons that are inputs by their value.
  const framed = (element) => element.closest(".c-admin") &&
    (element.matches("[title], :has([title])") || (element.type === "submit" && element.value !== ""));
  const named = (element) =>
    (element.getAttribute("aria-label") || element.innerText || element.textContent || "").trim() !== "" ||
    (element.labels && element.labels.length > 0) || framed(element);
  const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);
  const say = (text, element) => wrong.push(`${text}: ${element.outerHTML.slice(0, 120)}`);

  if (document.querySelectorAll("h1").length !== 1) wrong.push("not exactly one h1");
  if (!document.documentElement.lang) wrong.push("no language");
  if (!document.title.trim()) wrong.push("no title");
  if (all("main").length !== 1) wrong.push("not exactly one main");
  all("input:not([type=hidden]), select, textarea").forEach((e) => named(e) || say("no label", e));
  all("a, button, summary").forEach((e) => named(e) || say("no name", e));
  // What has a template gets its address by a choice.
  all("a:not([href], [data-href-template])").forEach((e) => say("link without address", e));
  all("table").forEach((e) => e.caption || say("no caption", e));
  all("thead th").forEach((e) => e.scope || say("no scope", e));
  all("summary .c-icon:not(.c-icon-chevron):has([href$='#chevron'])").forEach((e) =>
    say("a chevron that does not turn", e.parentElement));
  all("img").forEach((e) => e.hasAttribute("alt") || say("no alt", e));
  // The framework's script places these two itself, which the policy lets it.
  document.querySelectorAll("[style]:not(.calendarbox, .clockbox)").forEach((e) => say("inline style", e));
  all("[hidden]").forEach((e) => say("shown, but hidden", e));
  document.querySelectorAll("script:not([src])").forEach((e) => say("inline script", e));
  document.querySelectorAll("*").forEach((e) =>
    [...e.attributes].some((a) => a.name.startsWith("on")) && say("inline handler", e));
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  if (new Set(ids).size !== ids.length) wrong.push("an id twice");
  const levels = all("h1, h2, h3").map((e) => Number(e.tagName[1]));
  if (levels.some((level, n) => n > 0 && level - levels[n - 1] > 1)) wrong.push("a heading level left out");
  all("input:not([type=hidden]), .button, button, summary").forEach((e) =>
    e.getBoundingClientRect().height < 16 && say("too small to hit", e));
  // As core/formatting.py writes them: a space before each unit. Texts of the hub may have others.
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { parentElement, textContent } = texts.currentNode;
    const ours = ".u-code, .u-break, .u-reason, .c-cell-reason, .c-admin";
    const others = `code, pre, script, style, textarea, ${ours}`;
    const isOurs = !parentElement.closest(others);
    if (isOurs && /(^|[\\s(])\\d[\\d.,]*(%|h|min|ms)(?=$|[\\s).,;:])|\\b(NaN|undefined)\\b/.test(textContent))
      say(`a unit without its space: ${textContent.trim().slice(0, 60)}`, parentElement);
  }
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) wrong.push("scrolls sideways");
  return wrong;
}
"""


# No ways to name an element, and no second copy of the styles: no check reads them.
_QUICKLY = {"resultTypes": ["violations"], "selectors": False, "preload": False}
# Rows beyond the twentieth, and lines without a hit, are like those before them, and cost axe seconds.
_LIKE_OTHERS = ["tbody tr:nth-child(n + 21)", "pre.c-source > span:nth-child(n + 21):not(.is-hit)"]
# The same on every page, so that axe checks it on one.
_FRAME = [".c-side", ".c-topbar"]
_AXE = """
async ([exclude, options]) => (await axe.run({ exclude }, options)).violations.map((one) =>
  `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(", ")}`)
"""
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 800}


class Look(Enum):
    """How a page is shown: the size of its window, and its colours."""

    WIDE_AND_LIGHT = (WIDE, "light")
    NARROW_AND_DARK = (NARROW, "dark")


# Until a page that has been resized is drawn again.
_DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
# Of axe's rules the ones that an answer to another width or other colours can break.
_OF_LOOKS: dict[str, object] = {
    "runOnly": ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"]
}
# Axe leaves out on its own what only WCAG 2.2 asks for: room for a finger, 24 pixels wide and high.
_OF_WCAG_22 = {"target-size": {"enabled": True}}


def looks_for_axe(kind: str, seen: set[str]) -> Sequence[Look]:
    """Return both looks for the first page, one in turn for the first of a kind, and none for the others."""
    if kind in seen:
        return ()
    return (list(Look)[len(seen) % 2],) if seen else tuple(Look)


def check_looks(page: Page, *, axe_in: Sequence[Look] = tuple(Look), with_frame: bool = False) -> None:
    """
    Check the open page, wide and light, then narrow and dark; only the latter if axe checks neither.

    Axe takes as long as all else: it checks the looks in `axe_in`, and what surrounds every page if asked.

    Raises:
        AssertionError: names each thing that is wrong.
    """
    for look in Look if axe_in else (Look.NARROW_AND_DARK,):
        _show(page, look)
        check_width(page)
        if look in axe_in:
            # Names and order are the same in both; room depends on the width, contrast on the colours.
            options = None if look is axe_in[0] else _OF_LOOKS
            _check_barriers(page, options, with_frame=with_frame)


def check_page(page: Page) -> None:
    """
    Check one page as it is in the browser.

    Raises:
        AssertionError: names each thing that is wrong.
    """
    page.wait_for_load_state("domcontentloaded")
    check_width(page)
    _check_barriers(page)


def check_width(page: Page) -> None:
    """
    Check everything that axe does not check.

    Raises:
        AssertionError: names each thing that is wrong.
    """
    wrong = page.evaluate(_CHECK)
    assert not wrong, f"{page.url}: {wrong}"


def check_colours_and_width(page: Page) -> None:
    """
    Check a page again that `check_page` has found well, after its width or its colours have changed.

    Raises:
        AssertionError: names each thing that is wrong.
    """
    check_width(page)
    _check_barriers(page, _OF_LOOKS)


def _show(page: Page, look: Look) -> None:
    size, scheme = look.value
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)
    page.evaluate(_DRAWN)


def _check_barriers(
    page: Page, options: dict[str, object] | None = None, *, with_frame: bool = False
) -> None:
    """Fail with what axe finds on the page: the rule and the first elements that break it."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    excluded = _LIKE_OTHERS if with_frame else [*_LIKE_OTHERS, *_FRAME]
    wrong = page.evaluate(_AXE, [excluded, _QUICKLY | (options or {"rules": _OF_WCAG_22})])
    assert not wrong, f"{page.url}: {wrong}"
