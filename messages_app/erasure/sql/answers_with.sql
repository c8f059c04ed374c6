-- One row per stored answer to an idempotency key that may contain the subject's key. Answers are kept for a
-- day.
SELECT id FROM idempotency_key WHERE strpos(body::text, %(in_json)s) > 0 OR strpos(key, %(key)s) > 0
