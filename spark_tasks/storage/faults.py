"""
Faults of a storage itself: it does not answer, it refuses, or it does not delete a file.

They are not reported as a damaged file, because a backup does not help.
"""


class StorageFault(OSError):
    """A storage could not do what was asked. The message, for a page, names the storage."""


class StorageAway(StorageFault):
    """It does not answer, or asks to wait."""


class StorageRefused(StorageFault):
    """It does not accept the credentials, or they do not allow this."""


class StillKept(StorageFault):
    """It does not delete a file, because a retention lock or a legal hold protects it."""
