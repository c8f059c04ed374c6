INSERT INTO audit_seal (seal_id, first_id, last_id, entries, digest, late, gaps_from, gaps_to, open_transactions, sealed_at)
VALUES (%(seal_id)s, %(first_id)s, %(last_id)s, %(entries)s, %(digest)s, %(late)s, %(gaps_from)s, %(gaps_to)s,
        %(open_transactions)s, clock_timestamp())
