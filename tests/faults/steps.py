"""Orders to the failpoints of spark_tasks/failpoints.py: one folder, which all processes of a rig read."""

from pathlib import Path

from spark_tasks.failpoints import Order, Step


class Failpoints:
    """The folder of orders, and of who came to which step."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        folder.chmod(0o777)  # PostgreSQL's user apart, all processes are ours
        self.folder = folder

    def clear(self) -> None:
        """Let everyone go, and forget who came where."""
        for path in self.folder.iterdir():
            path.unlink()

    def order(self, step: Step, order: Order, *, time_no: int = 1) -> None:
        """Order what befalls the process that comes to a step, at the time_no-th time."""
        new = self.folder / f"{step}.new"
        new.write_text(f"{order} {time_no}")
        new.rename(self.folder / step)

    def let_go(self, step: Step) -> None:
        """Let the process that waits at a step continue."""
        (self.folder / f"{step}.go").touch()

    def came_to(self, step: Step) -> list[int]:
        """Return the processes that came to a step, in their order."""
        path = self.folder / f"{step}.reached"
        return [int(line) for line in path.read_text().splitlines()] if path.exists() else []
