"""The checks of `doctor` and /health/, one function for each part."""


class Unhealthy(Exception):
    """
    A part does not work. Its texts are public: no secrets, addresses or paths.

    Args:
        why: the fault.
        do: the remedy.
    """

    def __init__(self, why: str, do: str) -> None:
        super().__init__(why)
        self.why = why
        self.do = do
