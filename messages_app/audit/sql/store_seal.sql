INSERT INTO audit_seal (seal_id, first_id, last_id, entries, digest, sealed_at)
VALUES (%(seal_id)s, %(first_id)s, %(last_id)s, %(entries)s, %(digest)s, clock_timestamp())
