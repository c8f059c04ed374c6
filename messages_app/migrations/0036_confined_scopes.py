from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

# Going back the column stays as wide: cut off, a name could be that of another queue. To the version before,
# a scope with a name gives nothing.
WIDEN = "ALTER TABLE api_token ALTER COLUMN scopes TYPE varchar(200)[]"


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0035_revealing")]

    operations = [
        migrations.RunSQL(
            WIDEN,
            migrations.RunSQL.noop,
            state_operations=[
                migrations.AlterField(
                    "ApiToken", "scopes", ArrayField(models.CharField(max_length=200), null=True)
                )
            ],
        ),
    ]
