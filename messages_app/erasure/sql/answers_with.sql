-- One row per answer to an idempotency key that may hold the key; they are of one day.
SELECT id FROM idempotency_key WHERE strpos(body::text, %(in_json)s) > 0 OR strpos(key, %(key)s) > 0
