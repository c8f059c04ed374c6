"""What `doctor` and /health/ check, a function for each part."""


class Unhealthy(Exception):
    """
    A part does not do its work. Everyone may read it: no secrets, no addresses, no paths.

    Args:
        why: what is wrong.
        do: what to do about it.
    """

    def __init__(self, why: str, do: str) -> None:
        super().__init__(why)
        self.why = why
        self.do = do
