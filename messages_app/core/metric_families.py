"""
A metric of /metrics, declared once: its lines of help, and its line in the reference, are written from this.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Metric:
    """
    All samples of one name. Names follow the conventions of Prometheus: a prefix, base units, and `_total`
    for counters.

    Args:
        meaning: a sentence.
        labels: the names of the labels of each sample.
        kind: the type, as Prometheus calls it.
        see: the chapter of the manual about it, such as "how_it_works/calls#targets"; empty: none.
    """

    name: str
    meaning: str
    labels: tuple[str, ...] = ()
    kind: str = "gauge"
    see: str = ""
