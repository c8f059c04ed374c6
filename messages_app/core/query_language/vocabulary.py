"""The vocabulary of a list's query line: keys, labels, choices. Each list has its own."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from django.utils import timezone

from messages_app.core.filters.table import Table

Known = Iterable[tuple[str, str]]


def _nothing_known(name: str, typed: str) -> Known:
    return ()


@dataclass(frozen=True, kw_only=True, eq=False)
class TimeWords:
    """The name for both ends of a time: the key in the line, and the label on the page."""

    key: str
    label: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Vocabulary:
    """
    The names of a list's filters and values.

    Args:
        filters: the table of filters of the list.
        names: the name of each filter on pages, except for times.
        times: the names of times, by the column that has the filters <column>_from and <column>_to.
        keys: the keys in the line of filters whose key is not their name.
        excluded: by the name of a filter that leaves values out, the filter that selects them. Its key begins
            with a minus.
        state: the filter whose values are codes in capitals, if there is one.
        choices: the values of a filter, if there are only a few.
        phrases: the words for a filter and value, instead of their names.
        hints: the texts that suggestions show next to a key.
        find_values: yields (value, meaning) of values of a filter that begin with the typed text.
        text: the filter for a text in quotes; empty if the list cannot search texts.
        no_text: the error for a user who may not search texts.
        text_needs: the error for a text search without the filters that it requires.
    """

    filters: Table
    names: Mapping[str, str]
    times: Mapping[str, TimeWords] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    excluded: Mapping[str, str] = field(default_factory=dict)
    state: str = ""
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    phrases: Mapping[tuple[str, str], str] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    find_values: Callable[[str, str], Known] = _nothing_known
    text: str = ""
    no_text: str = "Text without a key is not supported here. Write key:value."
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

    @property
    def labels(self) -> dict[str, str]:
        """The labels of form fields, by the name of the filter. Those of times name the zone of the page."""
        zone = timezone.get_current_timezone_name()
        starts = {f"{column}_from": f"{words.label} from ({zone})" for column, words in self.times.items()}
        ends = {f"{column}_to": f"{words.label} to ({zone})" for column, words in self.times.items()}
        return {**self.names, **starts, **ends}

    @cached_property
    def names_by_key(self) -> dict[str, tuple[str, ...]]:
        """For every key that the line accepts, the names of the filters that it sets."""
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

    @cached_property
    def state_names(self) -> frozenset[str]:
        """The filters whose values are codes in capitals."""
        return frozenset(
            name for name in (self.state, *self.excluded) if self.excluded.get(name, name) == self.state
        )

    def bounds_of(self, name: str) -> tuple[str, str]:
        """Return both filters of the time of which `name` is one end."""
        return next(pair for pair in self.bounds if name in pair)

    def key_of(self, name: str) -> str:
        """Return the key of a filter or of another parameter of the address in the line."""
        return self.times[_column_of(name)].key if name in self.time_names else self.keys.get(name, name)

    def label_of(self, name: str) -> str:
        """Return the label of a filter in words. Both ends of a time have the same label."""
        return self.times[_column_of(name)].label if name in self.time_names else self.names.get(name, name)


def _column_of(name: str) -> str:
    """Return the time column whose range the filter limits."""
    return name.removesuffix("_from").removesuffix("_to")
