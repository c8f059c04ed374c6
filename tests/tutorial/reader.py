"""The reader of the tutorial: does in a browser and in terminals what a line says, and checks its words."""

import re
import time
from collections.abc import Callable

from playwright.sync_api import Error, Locator, Page

from tests.tutorial.script import RUN, Line
from tests.tutorial.terminals import Terminals
from tests.tutorial.words import is_shown, pattern_of, split_lines

# Where the tutorial has the address of the console, which has another port in a test.
ADDRESS = "127.0.0.1:8000"
# A page is shown within it, on a busy machine.
_PATIENCE = 60.0  # s
# After "Wait until you see": the demo is loaded, or a job has ended.
_LONG_PATIENCE = 600.0  # s
_PAUSE = 150  # ms
_ROLES = ("button", "link", "tab", "radio", "checkbox")
# Things that the tutorial names by their place.
_FIRST = {
    "message": "table a.c-rows-link",
    "number": ".c-story-values a",
    "holder": ".c-lane-holder a",
}
# Words for screen readers are not seen.
_READ_PAGE = """() => {
  const hidden = document.querySelectorAll(".u-visually-hidden, .c-skip-link");
  hidden.forEach((one) => one.style.setProperty("display", "none", "important"));
  const text = document.body.innerText;
  hidden.forEach((one) => one.style.removeProperty("display"));
  return text;
}"""


class Reader:
    """
    Follows the lines of a script, each by the method that it names.

    Args:
        page: of a browser that may read its clipboard.
        address: of the console, host and port.
    """

    def __init__(self, page: Page, terminals: Terminals, *, address: str) -> None:
        self._page = page
        self._terminals = terminals
        self._address = address
        # The lines of the page before the last instruction.
        self._shown_before: list[str] = []

    def follow(self, line: Line) -> None:
        """
        Do or see what a line says.

        Raises:
            AssertionError: it is not possible; names the line.
        """
        arguments = {name: self._localize(value) for name, value in line.arguments.items()}
        if line.deed not in {RUN, "see", "wait", "wait_for"}:
            self._shown_before = self._shown()
        try:
            getattr(self, line.deed)(**arguments)
        except Exception as fault:
            raise AssertionError(f"docs/tutorial.md, line {line.number}: {line.text}\n{fault}") from fault

    def prepare_command(self) -> None:
        """Expect a command, which is the next line."""

    def open_second_terminal(self) -> None:
        """Open nothing: commands that end share the second terminal."""

    def run(self, words: str) -> None:
        self._terminals.run(words)

    def check_output(self, words: str) -> None:
        self._terminals.check_output(words)

    def run_copied_text(self) -> None:
        self._terminals.run(self._page.evaluate("navigator.clipboard.readText()"))

    def interrupt(self) -> None:
        self._terminals.interrupt()

    def open_address(self) -> None:
        (address,) = set(re.findall(r"Hub Console is at (http://\S+)", self._terminals.printed()))
        self._page.goto(address)

    def open_entry(self, title: str) -> None:
        """Open an entry of the menu, which may have a number."""
        menu = self._page.get_by_role("navigation", name="Main")
        # A number is followed by words for screen readers.
        name = re.compile(rf"^{pattern_of(title)}(?: [0-9].*)?$")
        self._only(lambda: _visible(menu.get_by_role("link", name=name)), title).click()

    def open_link(self, name: str) -> None:
        main = self._page.get_by_role("main")
        self._only(lambda: _visible(main.get_by_role("link", name=_whole(name))), name).click()

    def open_first(self, thing: str) -> None:
        self._first(lambda: _visible(self._page.locator(_FIRST[thing])), thing).click()

    def press(self, name: str) -> None:
        """Press a button, a link that may look like one, a tab, or the head of a part that opens."""
        self._only(lambda: self._named(name), name).click()

    def press_first(self, name: str) -> None:
        self._first(lambda: self._named(name), name).click()

    def choose(self, name: str) -> None:
        self.press(name)

    def fill(self, text: str, name: str) -> None:
        self._field(name).fill(text)

    def fill_password(self, name: str) -> None:
        (password,) = set(re.findall(r"user admin  password (\S+)", self._terminals.printed()))
        self._field(name).fill(password)

    def fill_number(self, name: str) -> None:
        """Enter the number that is in the label of the field: "Type 2 345 to confirm"."""
        field = self._field(name)
        label = field.evaluate("field => field.labels[0].innerText")
        field.fill("".join(re.findall(r"[0-9]", label)))

    def fill_query_line(self, text: str) -> None:
        self._field("Filter").fill(text)

    def replace(self, old: str, new: str, name: str) -> None:
        field = self._field(name)
        text = field.input_value()
        assert text.count(old) == 1, f"{name} has {old} {text.count(old)} times:\n{text}"
        field.fill(text.replace(old, new))

    def wait(self) -> None:
        """Expect words that take their time, which are the next lines."""

    def see(self, words: str) -> None:
        self._look_for(words, _PATIENCE)

    def wait_for(self, words: str) -> None:
        self._look_for(words, _LONG_PATIENCE)

    def _look_for(self, words: str, patience: float) -> None:
        """Wait until the page shows the words, which it did not show before."""
        assert not is_shown(words, self._shown_before), f"The page showed “{words}” before."
        until = time.monotonic() + patience
        while not is_shown(words, lines := self._shown()):
            assert time.monotonic() < until, "The page shows:\n" + "\n".join(filter(None, lines))
            self._page.wait_for_timeout(_PAUSE)

    def _shown(self) -> list[str]:
        try:
            return split_lines(self._page.evaluate(_READ_PAGE))
        except Error:  # the page is being replaced by the next one
            return []

    def _named(self, name: str) -> list[Locator]:
        by_role = [self._page.get_by_role(role, name=_whole(name)) for role in _ROLES]
        heads = self._page.locator("summary").filter(has_text=_whole(name))
        return [one for locator in (*by_role, heads) for one in _visible(locator)]

    def _field(self, name: str) -> Locator:
        """Return a field by its label, which may have a note in brackets, or by the words in it."""
        label = re.compile(rf"^{pattern_of(name)}(?: \(.*\))?$")
        fields = "input, textarea, select"

        def list_fields() -> list[Locator]:
            labelled = self._page.get_by_label(label).and_(self._page.locator(fields))
            return _visible(labelled.or_(self._page.get_by_placeholder(_whole(name))))

        return self._only(list_fields, name)

    def _only(self, list_all: Callable[[], list[Locator]], name: str) -> Locator:
        """Return the one thing of a name. A reader would not know which of several to take."""
        return self._first(list_all, name, most=1)

    def _first(self, list_all: Callable[[], list[Locator]], name: str, most: int | None = None) -> Locator:
        until = time.monotonic() + _PATIENCE
        while not (things := list_all()) or (most and len(things) > most):
            assert time.monotonic() < until, (
                f"The page has {len(things)} things that are called “{name}”. It shows:\n"
                + "\n".join(filter(None, self._shown()))
            )
            self._page.wait_for_timeout(_PAUSE)
        return things[0]

    def _localize(self, text: str) -> str:
        return text.replace(ADDRESS, self._address)


def _whole(name: str) -> re.Pattern[str]:
    return re.compile(rf"^\s*{pattern_of(name)}\s*$")


def _visible(locator: Locator) -> list[Locator]:
    try:
        return [one for one in locator.all() if one.is_visible()]
    except Error:  # the page is being replaced by the next one
        return []
