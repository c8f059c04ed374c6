from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0038_plan_step")]

    operations = [
        migrations.AddIndex("job", models.Index("state", "job_id", name="job_state_idx")),
        migrations.AddIndex("job", models.Index("kind", "job_id", name="job_kind_idx")),
    ]
