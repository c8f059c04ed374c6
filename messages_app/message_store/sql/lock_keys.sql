-- Waits for each lock, in this order, and holds it until the transaction ends.
SELECT CASE WHEN given.is_shared
            THEN pg_advisory_xact_lock_shared(given.number)::text
            ELSE pg_advisory_xact_lock(given.number)::text END
  FROM unnest(%(numbers)s::bigint[], %(shared)s::boolean[]) AS given (number, is_shared)
