"""Refusals of a proof of who someone is."""


class ProofRefused(Exception):
    """
    A proof of who someone is does not count.

    Args:
        code: for the audit log.
        text: a sentence for the user.
    """

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
