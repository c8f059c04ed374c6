"""The words of a list's query line: keys, labels, choices. Each list has one."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from messages_app.core.filters.moments import ZONE
from messages_app.core.filters.table import Table

Known = Iterable[tuple[str, str]]


def _nothing_known(name: str, typed: str) -> Known:
    return ()


@dataclass(frozen=True, kw_only=True, eq=False)
class TimeWords:
    """What the two ends of a time are called together: in the line, and on the page."""

    key: str
    label: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Vocabulary:
    """
    What the filters of a list are called.

    Args:
        filters: the list's table of filters.
        names: of each filter but times, what pages call it.
        times: by the column of a time that has the filters <column>_from and <column>_to.
        keys: the short name in the line, of a filter that does not go by its own.
        state: the filter whose values are codes in capitals; empty where there is none.
        choices: what a filter's value may be, where that is a short list.
        said: what a chip says of a filter and value, instead of both.
        hints: what suggestions say next to a key.
        known: yields (value, meaning) of values that a filter may have and that begin like what is typed.
        text: the filter that a text in quotes means; empty where texts are not searched.
        no_text: what someone is told who may not search texts.
        text_needs: what is said where a search of texts lacks what `required` asks for.
    """

    filters: Table
    names: Mapping[str, str]
    times: Mapping[str, TimeWords] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    state: str = ""
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    said: Mapping[tuple[str, str], str] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    known: Callable[[str, str], Known] = _nothing_known
    text: str = ""
    no_text: str = "Text alone is not supported here. Write key:value."
    text_needs: str = ""

    @cached_property
    def bounds(self) -> tuple[tuple[str, str], ...]:
        """The names of the two filters of each time."""
        return tuple((f"{column}_from", f"{column}_to") for column in self.times)

    @cached_property
    def starts(self) -> frozenset[str]:
        return frozenset(start for start, _ in self.bounds)

    @cached_property
    def ends(self) -> frozenset[str]:
        return frozenset(end for _, end in self.bounds)

    @cached_property
    def time_names(self) -> frozenset[str]:
        return self.starts | self.ends

    @cached_property
    def labels(self) -> dict[str, str]:
        """What a field of a form is called, by the filter's name."""
        starts = {f"{column}_from": f"{words.label} from ({ZONE})" for column, words in self.times.items()}
        ends = {f"{column}_to": f"{words.label} to ({ZONE})" for column, words in self.times.items()}
        return {**self.names, **starts, **ends}

    @cached_property
    def names_by_key(self) -> dict[str, tuple[str, ...]]:
        """By every key that the line knows: the names of the filters that it may set."""
        others = [name for name in self.filters if name not in self.time_names]
        return {
            **{name: (name,) for name in self.filters},
            **{self.keys.get(name, name): (name,) for name in others},
            **{words.key: (f"{column}_from", f"{column}_to") for column, words in self.times.items()},
        }

    @cached_property
    def short_keys(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.key_of(name) for name in self.filters))

    @cached_property
    def states(self) -> frozenset[str]:
        return frozenset(self.choices.get(self.state, ()))

    def bounds_of(self, name: str) -> tuple[str, str]:
        """Return the two filters of the time of which `name` is one end."""
        return next(pair for pair in self.bounds if name in pair)

    def key_of(self, name: str) -> str:
        """Return the key in the line of a filter, or of anything else that is in an address."""
        return self.times[_column_of(name)].key if name in self.time_names else self.keys.get(name, name)

    def label_of(self, name: str) -> str:
        """Return what a chip calls the filter; both ends of a time are one."""
        return self.times[_column_of(name)].label if name in self.time_names else self.names.get(name, name)


def _column_of(name: str) -> str:
    """Return the time column of which a filter is one end."""
    return name.removesuffix("_from").removesuffix("_to")
