-- One row: up to which seals no entries could come late at the last pass, and up to which none can come now, because
-- the transactions that were open have ended. Transactions that are not even assigned are of another server, from which
-- this database was restored.
SELECT settled,
       (SELECT coalesce(min(seal_id) - 1, (SELECT max(seal_id) FROM audit_seal), 0)
          FROM audit_seal
         WHERE seal_id > settled
           AND EXISTS (SELECT
                         FROM unnest(open_transactions) AS id
                        WHERE id < %(before)s
                          AND NOT pg_visible_in_snapshot(id::text::xid8, pg_current_snapshot())))
  FROM (SELECT coalesce(max(settled), 0) AS settled FROM audit_mark) AS mark
