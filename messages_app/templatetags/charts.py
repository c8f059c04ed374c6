"""The tags of charts, bars and sparklines: components (components.py) that show numbers as shapes."""

from collections.abc import Sequence

from django import template
from django.utils.safestring import SafeString

from messages_app.core.charts.bars import Bar
from messages_app.core.charts.columns import ColumnChart
from messages_app.core.charts.scale import TimeScale
from messages_app.core.charts.sparklines import Spark
from messages_app.templatetags.components import render_component

register = template.Library()


@register.simple_block_tag(name="chart", end_name="endchart")
def show_chart(
    content: str,
    width: float = 100,
    height: float = 1,
    kind: str = "",
    label: str = "",
    pixels: int = 0,
    role: str = "img",
) -> SafeString:
    """
    Show shapes as a chart. Without a label, screen readers skip it.

    Args:
        pixels: its width; 0: it is as wide as its place.
        role: group, if it has links.
    """
    return render_component(
        "chart",
        content=content,
        width=width,
        height=height,
        kind=kind,
        label=label,
        pixels=pixels,
        role=role,
    )


@register.simple_block_tag(name="timechart", end_name="endtimechart")
def show_time_chart(
    content: str, scale: TimeScale, width: float, height: float, kind: str, label: str, role: str = "img"
) -> SafeString:
    """Show shapes as a chart over time, with its scale. All charts over time are shown by this."""
    return render_component(
        "time_chart",
        content=content,
        scale=scale,
        width=width,
        height=height,
        kind=kind,
        label=label,
        role=role,
    )


@register.simple_tag(name="columnchart")
def show_column_chart(drawn: ColumnChart, table_id: str, tone: str = "failed") -> SafeString:
    """Show failures over time as a chart, and as a table that stays open under its id."""
    return render_component("column_chart", drawn=drawn, table_id=table_id, tone=tone)


@register.simple_tag(name="bar")
def show_bar(
    tone: str = "",
    width: float = 100,
    shares: Sequence[object] | None = None,
    kind: str = "c-bar c-bar-thin",
    label: str = "",
    percent: int | None = None,
) -> SafeString:
    """
    Show a bar: a share in the colour of a state, or several shares next to each other.

    Args:
        kind: the classes of its box; without, it is bare.
        label, percent: of a progress, for screen readers.
    """
    return render_component(
        "bar", tone=tone, width=width, shares=shares, kind=kind, label=label, percent=percent
    )


@register.simple_tag(name="bars")
def show_bars(bars: Sequence[Bar], caption: str, tone: str = "") -> SafeString:
    """Show counts, each with a bar."""
    return render_component("bars", bars=bars, caption=caption, tone=tone)


@register.simple_tag(name="sparkline")
def show_sparkline(spark: Spark, tone: str) -> SafeString:
    """Show small bars over time."""
    return render_component("sparkline", spark=spark, tone=tone)
