from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0033_age_of_tries")]

    operations = [
        migrations.AddField("usersession", "revealed_until", models.DateTimeField(null=True)),
    ]
