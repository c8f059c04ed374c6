from messages_app.core.charts.sparklines import HEIGHT, WIDTH, make_sparkline


class TestSpark:
    def test_draws_a_stick_for_each_count_but_0(self):
        found = make_sparkline([0, 5, 10], marked=[0, 0, 5])
        assert [stick.x for stick in found.sticks] == [WIDTH, 2 * WIDTH]
        assert (found.width, found.highest, found.sticks[1].height) == (3 * WIDTH, 10, HEIGHT)
        assert 0 < found.sticks[0].height < HEIGHT
        assert [stick.marked_height > 0 for stick in found.sticks] == [False, True]

    def test_shows_one_among_thousands(self):
        assert make_sparkline([1, 100_000]).sticks[0].height >= 6

    def test_marks_what_was_not_counted(self):
        assert make_sparkline([0, 0, 4], unknown=2).unknown_width == 2 * WIDTH

    def test_draws_nothing_without_values(self):
        assert make_sparkline([]).sticks == []


def test_has_its_sticks_and_marks_on_the_ground():
    (stick,) = make_sparkline([4], marked=[1]).sticks
    assert (stick.y, stick.y + stick.height) == (HEIGHT - stick.height, HEIGHT)
    assert stick.marked_y + stick.marked_height == HEIGHT
