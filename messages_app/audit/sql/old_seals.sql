-- One row: the first seal without a tombstone, and the first seal after it that was made within this number
-- of months, or the next one to be made. All entries under the seals in between are older.
SELECT first,
       coalesce((SELECT min(seal_id)
                   FROM audit_seal
                  WHERE seal_id >= first
                    AND sealed_at >= now() - make_interval(months => %(months)s)),
                (SELECT max(seal_id) + 1 FROM audit_seal),
                first)
  FROM (SELECT coalesce(max(last_seal), 0) + 1 AS first FROM audit_tombstone) AS under
