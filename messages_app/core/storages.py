"""The storages of the settings: an address, with the options of buckets."""

from django.conf import settings

from spark_tasks.storage.addresses import Storage
from spark_tasks.storage.options import BucketOptions


def make_storage(uri: str, *, former: str = "") -> Storage:
    options = BucketOptions(
        endpoint=settings.S3_ENDPOINT, encryption=settings.S3_ENCRYPTION, kms_key=settings.S3_KMS_KEY
    )
    return Storage(uri, options, former)
