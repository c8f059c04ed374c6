from hypothesis import given
from hypothesis import strategies as st

from messages_app.jobs.states import ChunkContent
from spark_tasks.plans import cut_chunks

families = st.lists(
    st.tuples(st.sampled_from(sorted(ChunkContent)), st.integers(1, 50), st.integers(1, 8)),
    unique_by=lambda family: (family[0], family[1]),
)


def rows_of(drawn: list[tuple[str, int, int]]) -> list[tuple]:
    """Return plan rows of families (content, root, size), sorted as a part of the plan is."""
    return [
        (content, root, root * 100 + member, None, None)
        for content, root, size in sorted(drawn)
        for member in range(size)
    ]


class TestCutChunks:
    @given(families, st.integers(1, 20))
    def test_leaves_nothing_out_and_repeats_nothing(self, drawn, size):
        rows = rows_of(drawn)

        assert [row for chunk in cut_chunks(rows, size=size) for row in chunk] == rows

    @given(families, st.integers(1, 20))
    def test_parts_no_family_and_mixes_no_contents(self, drawn, size):
        homes: dict[tuple, set[int]] = {}
        for number, chunk in enumerate(cut_chunks(rows_of(drawn), size=size)):
            assert len({row[0] for row in chunk}) == 1
            for row in chunk:
                homes.setdefault(row[:2], set()).add(number)

        assert all(len(numbers) == 1 for numbers in homes.values())

    @given(families, st.integers(1, 20))
    def test_grows_no_chunk_beyond_its_size_but_by_the_last_family(self, drawn, size):
        for chunk in cut_chunks(rows_of(drawn), size=size):
            last = chunk[-1][:2]
            assert len([row for row in chunk if row[:2] != last]) < size
