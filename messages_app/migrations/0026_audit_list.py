"""Indexes of the list of audit entries, its filters, and of the seal of an entry (audit/selectors.py)."""

import django.contrib.postgres.indexes
import django.contrib.postgres.search
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0025_pages_of_services"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(models.F("at"), models.F("entry_id"), name="audit_at_idx"),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(
                models.F("actor"), models.F("at"), models.F("entry_id"), name="audit_actor_idx"
            ),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(
                models.F("action"), models.F("at"), models.F("entry_id"), name="audit_action_idx"
            ),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(
                models.F("token_name"),
                models.F("at"),
                models.F("entry_id"),
                condition=models.Q(("token_name", ""), _negated=True),
                name="audit_token_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(
                models.F("request_id"),
                models.F("at"),
                models.F("entry_id"),
                condition=models.Q(("request_id", ""), _negated=True),
                name="audit_request_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(
                models.F("outcome"),
                models.F("at"),
                models.F("entry_id"),
                condition=models.Q(("outcome", "refused")),
                name="audit_refused_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.search.SearchVector(
                    models.Func(
                        models.F("reason"),
                        models.Value("[^[:alnum:]]+"),
                        models.Value(" "),
                        models.Value("g"),
                        function="regexp_replace",
                        output_field=models.TextField(),
                    ),
                    config="simple",
                ),
                condition=models.Q(("reason", ""), _negated=True),
                name="audit_reason_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="auditseal",
            index=models.Index(models.F("last_id"), name="audit_seal_span_idx"),
        ),
    ]
