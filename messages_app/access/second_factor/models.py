from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from messages_app.core.plain_model import PlainModel

MAX_NAME = 60
MAX_HOST = 253


class Passkey(PlainModel):
    """A passkey of a user: the public key by which the answers of their device are checked."""

    passkey_id = models.BigAutoField(primary_key=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="passkeys")
    # Given by the user.
    name = models.CharField(max_length=MAX_NAME)
    # The name of the console's host for which it was created. Browsers use it nowhere else.
    host = models.CharField(max_length=MAX_HOST)
    credential_id = models.BinaryField(unique=True)
    # Id and public key in the format of WebAuthn ("attested credential data").
    credential = models.BinaryField()
    # Of the last use, as the device counts; 0 if it does not count.
    sign_count = models.BigIntegerField()
    created_at = models.DateTimeField(db_default=Now())
    last_used_at = models.DateTimeField(null=True)

    class Meta(PlainModel.Meta):
        db_table = "passkey"


class RecoveryCode(PlainModel):
    """A recovery code that was not used yet. The table has only its SHA-256; the code is shown once."""

    recovery_code_id = models.BigAutoField(primary_key=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="recovery_codes"
    )
    code_sha256 = models.CharField(max_length=64)

    class Meta(PlainModel.Meta):
        db_table = "recovery_code"


class PasskeyChallenge(PlainModel):
    """A challenge that a session has been given. Its row is removed by the first answer, right or wrong."""

    challenge = models.BinaryField(primary_key=True)
    session_sha256 = models.CharField(max_length=64)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    # The use of the answer (passkeys.py, Purpose).
    purpose = models.CharField(max_length=10)
    ends_at = models.DateTimeField()

    class Meta(PlainModel.Meta):
        db_table = "passkey_challenge"
        # Sweeper: challenges that have ended.
        indexes = [models.Index("ends_at", name="passkey_challenge_end_idx")]
