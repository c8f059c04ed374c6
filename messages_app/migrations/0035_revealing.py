from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0034_token_scopes")]

    operations = [
        migrations.AddField("usersession", "revealed_until", models.DateTimeField(null=True)),
    ]
