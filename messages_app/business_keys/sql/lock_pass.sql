-- One row: whether this transaction is the only pass, which it is until its end.
SELECT pg_try_advisory_xact_lock(hashtextextended('hubconsole business_key pass', 0))
