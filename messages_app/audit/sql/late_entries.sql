-- One row for each late entry without a seal: when the span of its id was sealed, by a seal after the given one, its
-- transaction was open and the id did not have an entry.
SELECT DISTINCT entry.entry_id
  FROM audit_seal AS seal
 CROSS JOIN LATERAL unnest(seal.gaps_from, seal.gaps_to) AS gap (first_id, last_id)
 CROSS JOIN LATERAL (SELECT entry_id
                       FROM audit_entry
                      WHERE entry_id BETWEEN gap.first_id AND gap.last_id
                        AND transaction_id = ANY (seal.open_transactions)
                      ORDER BY entry_id
                      LIMIT %(most)s) AS entry
 WHERE seal.seal_id > %(settled)s
   AND NOT EXISTS (SELECT
                     FROM audit_seal AS later
                    WHERE later.seal_id > seal.seal_id
                      AND entry.entry_id = ANY (later.late))
 ORDER BY entry.entry_id
 LIMIT %(most)s
