-- One row: the first seal that lies under no tombstone, and the first after it that was made within so many months,
-- or will be. What lies under those between is older, every entry of it.
SELECT first,
       coalesce((SELECT min(seal_id)
                   FROM audit_seal
                  WHERE seal_id >= first
                    AND sealed_at >= now() - make_interval(months => %(months)s)),
                (SELECT max(seal_id) + 1 FROM audit_seal),
                first)
  FROM (SELECT coalesce(max(last_seal), 0) + 1 AS first FROM audit_tombstone) AS under
