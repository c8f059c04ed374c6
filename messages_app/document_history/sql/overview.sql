-- One row: documents in doubt without a decision, up to the fence; suspended triggers; duplicates among the
-- newest outcomes of the last day, up to the fence; and the start of the oldest undetermined document.
SELECT (SELECT count(*)
          FROM (SELECT FROM document_in_doubt
                 WHERE state = 'open'
                 ORDER BY state, in_doubt_id
                 LIMIT %(fence)s) AS fenced) AS open_doubts,
       (SELECT count(*) FROM document_trigger WHERE suspended_at IS NOT NULL AND deleted_at IS NULL) AS suspended,
       (SELECT count(*) FILTER (WHERE status = 'DUPLICATE')
          FROM (SELECT status
                  FROM document_outcome
                 WHERE at >= now() - interval '1 day'
                 ORDER BY at DESC
                 LIMIT %(fence)s) AS fenced) AS duplicates,
       (SELECT min(first.time)
          FROM (SELECT trigger_id FROM document_trigger ORDER BY trigger_id LIMIT %(most)s) AS own
         CROSS JOIN LATERAL (SELECT time
                               FROM document_open
                              WHERE document_open.trigger_id = own.trigger_id
                              ORDER BY trigger_id, time
                              LIMIT 1) AS first) AS oldest_undetermined
