"""The options of a bucket."""

from collections.abc import Mapping
from dataclasses import dataclass

# The encryption that is set for the bucket.
BUCKETS_OWN = "bucket"


@dataclass(frozen=True, kw_only=True)
class BucketOptions:
    """
    Args:
        endpoint: the address of an S3 store that is not Amazon's; empty: Amazon's.
        encryption: of new files at rest: AES256, aws:kms, or BUCKETS_OWN.
        kms_key: the key of aws:kms; empty: the bucket's.
    """

    endpoint: str = ""
    encryption: str = BUCKETS_OWN
    kms_key: str = ""

    def as_upload_arguments(self) -> Mapping[str, str]:
        if self.encryption == BUCKETS_OWN:
            return {}
        key = {"SSEKMSKeyId": self.kms_key} if self.kms_key else {}
        return {"ServerSideEncryption": self.encryption, **key}
