"""`manage.py archive_months`: partitions the archive tables by month, and detaches and attaches months."""

from argparse import ArgumentParser, ArgumentTypeError

from django.core.management.base import CommandError

from messages_app.access.actors import actor_of_command
from messages_app.core.formatting import format_size
from messages_app.jobs.archive_months import services
from messages_app.jobs.archive_months.tables import Month, MonthSize, is_by_month, month_of, sizes_of_months
from messages_app.management.base import ReportingCommand


def _parse_month(text: str) -> Month:
    month = month_of(text)
    if month is None:
        raise ArgumentTypeError("a month such as 2026-05 or before-2026-06, as the list shows it")
    return month


class Command(ReportingCommand):
    help = (
        "List the months of the archive tables; partition these tables by the month of archiving, online;"
        " detach a month from them, or attach it again. Without --yes, a change is only described. Run"
        " changes as the owner of the tables. Exit status: 0 done, 1 refused, 2 bad arguments."
    )
    examples = (
        "archive_months",
        "archive_months --partition --yes",
        "archive_months --detach 2026-05 --reason 'kept for two years'",
        "archive_months --attach 2026-05 --yes",
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        change = parser.add_mutually_exclusive_group()
        change.add_argument("--partition", action="store_true", help="partition the archive tables by month")
        change.add_argument("--detach", type=_parse_month, metavar="MONTH", help="detach a month")
        change.add_argument(
            "--attach", type=_parse_month, metavar="MONTH", help="attach a detached month again"
        )
        change.add_argument("--make", action="store_true", help="make the tables of the next months now")
        parser.add_argument("--yes", action="store_true", help="make the change")
        parser.add_argument("--reason", default="", help="reason; recorded in the audit log")

    def handle(
        self,
        *,
        partition: bool,
        detach: Month | None,
        attach: Month | None,
        make: bool,
        yes: bool,
        reason: str,
        **options: object,
    ) -> None:
        try:
            if partition:
                self._partition_archive(yes=yes, reason=reason[:1000])
            elif detach:
                self._detach_month(detach, yes=yes, reason=reason[:1000])
            elif attach:
                self._attach_month(attach, yes=yes, reason=reason[:1000])
            elif make:
                self._make_months()
            else:
                self._list_partitions()
        except services.CannotChangeMonths as error:
            raise CommandError(str(error)) from None

    def _list_partitions(self) -> None:
        if not is_by_month():
            self.report("The archive tables are not partitioned by month.", is_by_month=False, months=[])
            return
        months = sizes_of_months()
        self.report(
            "\n".join(map(_describe_partition, months)),
            is_by_month=True,
            months=[_as_dict(each) for each in months],
        )

    def _partition_archive(self, *, yes: bool, reason: str) -> None:
        if not yes:
            self._describe_step(
                services.why_not_partition(), "The archive tables would be partitioned by month."
            )
            return
        past = services.partition_archive(actor=actor_of_command(), reason=reason)
        self.report(
            f"The archive tables are partitioned by month. All rows until now are in {past}.", month=str(past)
        )

    def _detach_month(self, month: Month, *, yes: bool, reason: str) -> None:
        if not yes:
            self._describe_step(
                services.why_not_detach(month),
                f"The month {month} would be detached: its messages could not be found, restored or erased.",
            )
            return
        tables = services.detach_month(month, actor=actor_of_command(), reason=reason)
        self.report(
            f"The month {month} is detached. Its messages are no longer found, restored or erased. Its rows"
            f" stay in these tables, for a dump or for DROP TABLE: {', '.join(tables)}.",
            month=str(month),
            tables=tables,
        )

    def _attach_month(self, month: Month, *, yes: bool, reason: str) -> None:
        if not yes:
            self._describe_step(services.why_not_attach(month), f"The month {month} would be attached again.")
            return
        services.attach_month(month, actor=actor_of_command(), reason=reason)
        self.report(
            f"The month {month} is attached again. If subjects were erased meanwhile, run erase_subject for"
            " them again. Run index_keys to find its messages by their business keys.",
            month=str(month),
        )

    def _make_months(self) -> None:
        made = [str(month) for month in services.make_months()]
        self.report(f"New months: {', '.join(made) or 'none'}.", months=made)

    def _describe_step(self, why_not: str | None, words: str) -> None:
        if why_not:
            raise CommandError(why_not)
        self.report(f"{words} Add --yes.", is_changed=False)


def _describe_partition(each: MonthSize) -> str:
    name = str(each.month) if each.month else "other"
    rows = "messages not counted yet" if each.messages is None else f"about {each.messages} messages"
    where = "" if each.is_attached else ", detached"
    return f"{name}: {rows}, {format_size(each.stored_bytes)}{where}"


def _as_dict(each: MonthSize) -> dict[str, object]:
    return {
        "month": str(each.month) if each.month else "other",
        "is_attached": each.is_attached,
        "messages": each.messages,
        "stored_bytes": each.stored_bytes,
    }
