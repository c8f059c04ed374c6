-- One row: whether this transaction is the only pass over calls, which it is until its end.
SELECT pg_try_advisory_xact_lock(hashtextextended('hubconsole call_rollup', 0))
