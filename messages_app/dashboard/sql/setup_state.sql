-- One row, whether each step of the setup checklist is done: a second active administrator; a watch rule that notifies
-- someone; a business key; a schedule of the archive.
SELECT EXISTS (SELECT FROM auth_user AS person
                WHERE person.is_active
                  AND (person.is_superuser
                       OR EXISTS (SELECT FROM auth_user_groups AS member
                                    JOIN auth_group AS held ON held.id = member.group_id
                                   WHERE member.user_id = person.id AND held.name = %(role)s))
               OFFSET 1),
       EXISTS (SELECT FROM watch_rule
                WHERE enabled AND (webhook_url <> '' OR mail_to <> '[]')),
       EXISTS (SELECT FROM business_key_definition
                WHERE deleted_at IS NULL AND active),
       EXISTS (SELECT FROM job_schedule
                WHERE enabled AND kind = ANY(%(kinds)s))
