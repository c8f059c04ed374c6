INSERT INTO provider_account (user_id, issuer, subject, groups, last_log_in_at)
VALUES (%(user_id)s, %(issuer)s, %(subject)s, '{}', statement_timestamp())
