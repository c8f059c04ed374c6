from messages_app.jobs.models import Job
from messages_app.jobs.preview.estimates import Estimate
from messages_app.jobs.views.create.estimate import figures_of, figures_of_job

REPORT = {"planned": 30, "by_state": {"FAILED": 20, "OK": 10}, "skipped": {"state_conflict": 10}}


class TestFiguresOf:
    def test_draws_the_largest_first_and_sums_the_rest(self):
        report = {"planned": 55, "by_service": {f"s{n}": n for n in range(1, 11)} | {"": 7}}
        (group,) = figures_of(report, kind="restart", filter={}).groups
        assert [bar.label for bar in group.bars] == ["s10", "s9", "s8", "s7", "s6", "s5", "s4", "s3"]
        assert (group.hidden, group.others) == (2, 3)

    def test_leads_to_the_messages_that_were_counted(self):
        (group,) = figures_of(
            REPORT, kind="restart", filter={"service_name": "billing", "state": "FAILED,OK"}
        ).groups
        assert group.bars[0].query == "/messages/?service_name=billing&state=FAILED"

    def test_omits_skipped_messages(self):
        assert figures_of(REPORT, kind="restart", filter={}).to_do == Estimate.from_count(20)

    def test_adds_up_the_bytes_of_tables(self):
        report = {"planned": 1, "would_free_bytes": {"message": 5, "request": 3}}
        assert figures_of(report, kind="restart", filter={}).freed_bytes == 8

    def test_lists_the_most_called_systems_first(self):
        systems = {"a": {"sent_again": 1}, "b": {"sent_again": 9, "repeated": 2, "skipped": 1}}
        figures = figures_of({"planned": 1, "systems": systems}, kind="restart", filter={})
        assert [system.name for system in figures.systems] == ["b", "a"]
        assert (figures.again, figures.repeated) == (10, 2)

    def test_has_the_bounds_of_estimates(self):
        report = {
            "planned": 16_765,
            "planned_between": [16_100, 17_300],
            "to_do": 9_000,
            "to_do_between": [6_400, 12_100],
            "kept": {"not_old_enough": 300, "in_parquet": None},
            "kept_between": {"not_old_enough": [290, 310]},
        }
        figures = figures_of(report, kind="archive", filter={})
        assert figures.planned.shown_rows == 16_800
        assert (figures.to_do.bounds, figures.to_do.shown_rows) == ((6_400, 13_000), 13_000)
        assert [kept and (kept.least, kept.about, kept.most) for _, kept in figures.left_out] == [
            (290, 300, 310),
            None,
        ]


class TestFiguresOfJob:
    def test_are_exact_once_it_is_counted(self):
        estimate = {"planned": 40, "is_exact": False}
        assert not figures_of_job(Job(report={"estimate": estimate})).is_exact
        figures = figures_of_job(Job(report={"estimate": estimate, **REPORT}))
        assert (figures.is_exact, figures.planned) == (True, Estimate.from_count(30))

    def test_are_empty_if_nothing_is_known(self):
        assert figures_of_job(Job(report={})) is None
