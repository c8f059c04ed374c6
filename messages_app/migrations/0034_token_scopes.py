from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

# The version before knows no scopes: to it such a token would have all rights of its user.
REVOKE = """
WITH revoked AS (
    UPDATE api_token SET revoked_at = now() WHERE scopes IS NOT NULL AND revoked_at IS NULL RETURNING name
)
INSERT INTO audit_entry (actor, token_name, request_id, action, outcome, before_state, after_state, reason,
                         details)
SELECT 'system', '', '', 'revoke_token', 'done', '', '', 'It had scopes, which the version before knows not.',
       jsonb_build_object('token', name)
  FROM revoked
"""


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("messages_app", "0033_age_of_tries"),
    ]

    operations = [
        migrations.AddField("ApiToken", "scopes", ArrayField(models.CharField(max_length=40), null=True)),
        migrations.CreateModel(
            name="ScopedUser",
            fields=[],
            options={
                "default_permissions": (),
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("auth.user",),
        ),
        # Going back, the last one is the first.
        migrations.RunSQL(migrations.RunSQL.noop, REVOKE),
    ]
