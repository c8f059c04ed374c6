from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0023_first_page")]

    operations = [
        migrations.AddField("ApiToken", "requests_per_minute", models.PositiveIntegerField(null=True)),
        migrations.CreateModel(
            name="RequestWindow",
            fields=[
                ("caller", models.CharField(max_length=80, primary_key=True, serialize=False)),
                ("began_at", models.DateTimeField()),
                ("used", models.IntegerField()),
            ],
            options={"db_table": "request_window", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="LoginFailure",
            fields=[
                ("subject", models.CharField(max_length=80, primary_key=True, serialize=False)),
                ("failures", models.IntegerField()),
                ("last_at", models.DateTimeField()),
                ("blocked_until", models.DateTimeField(null=True)),
            ],
            options={"db_table": "login_failure", "default_permissions": ()},
        ),
        # Written with every call of the API, and worth nothing after a crash.
        migrations.RunSQL("ALTER TABLE request_window SET UNLOGGED", migrations.RunSQL.noop),
    ]
