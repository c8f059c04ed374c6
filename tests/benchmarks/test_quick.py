import tomllib

import pytest

from benchmarks.quick import FIGURES, interpreter_kind, print_ratios

LAST = {"optimized": {"queue": 2.0, "archive": 3.0}, "not optimized": {"queue": 1.1}}


@pytest.mark.parametrize(
    ("ratios", "worse"),
    [
        ({"queue": 1.41, "archive": 2.09}, ["archive"]),
        ({"queue": 1.39, "archive": 9.0}, ["queue"]),
        ({"queue": 1.4, "archive": 2.11}, []),
    ],
)
def test_a_ratio_below_seven_tenths_of_its_last_figure_fails(capsys, ratios, worse):
    assert print_ratios(ratios, "optimized", LAST) == worse
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.endswith("much worse")] == worse


def test_figures_of_another_kind_of_python_are_not_compared(capsys):
    assert print_ratios({"queue": 0.9}, "optimized", LAST) == ["queue"]
    assert print_ratios({"queue": 0.9}, "not optimized", LAST) == []
    assert capsys.readouterr().out.splitlines()[-1].split() == ["queue", "0.90", "1.10"]


def test_a_ratio_without_a_figure_is_printed_for_the_file_and_does_not_fail(capsys):
    assert print_ratios({"queue": 1.0, "archive": 0.1}, "not optimized", LAST) == []
    assert capsys.readouterr().out.endswith('To keep them:\n["not optimized"]\n"archive" = 0.10\n')


@pytest.mark.parametrize("figures", [{}, {"not optimized": {}}, {"optimized": {"queue": 9.0}}])
def test_without_figures_of_the_kind_a_sentence_says_that_nothing_was_compared(capsys, figures):
    assert print_ratios({"queue": 0.1}, "not optimized", figures) == []
    printed = capsys.readouterr().out
    assert "Nothing was compared: there are no last figures for a Python that is not optimized." in printed
    assert printed.endswith('["not optimized"]\n"queue" = 0.10\n')


def test_with_some_figures_of_the_kind_it_does_not_say_that_nothing_was_compared(capsys):
    print_ratios({"queue": 1.0, "archive": 0.1}, "not optimized", LAST)
    assert "Nothing was compared" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "schemes", "kind"),
    [
        ("'--prefix=/usr' '--enable-optimizations' '--with-lto'", ("posix_prefix",), "optimized"),
        ("'--prefix=/usr' '--enable-shared'", ("posix_prefix", "deb_system"), "optimized"),
        ("'--prefix=/usr/local' '--enable-shared'", ("posix_prefix", "venv"), "not optimized"),
        ("", ("posix_prefix",), "not optimized"),
    ],
)
def test_the_kind_of_python_is_how_it_was_built(arguments, schemes, kind):
    assert interpreter_kind(arguments, schemes) == kind


def test_the_file_has_a_figure_of_every_ratio_for_an_optimized_python():
    figures = tomllib.loads(FIGURES.read_text())
    assert len(figures["optimized"]) == 13
    assert set(figures) == {"optimized", "not optimized"}
