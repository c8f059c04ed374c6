from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0008_inspecting_indexes")]

    operations = [
        migrations.AddIndex(
            model_name="archiveexternalcall",
            index=models.Index(models.F("entity_id"), models.F("call_id"), name="archive_call_entity_idx"),
        ),
    ]
