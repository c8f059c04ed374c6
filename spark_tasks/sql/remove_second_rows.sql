-- One row per row removed: of each two rows that are equal in every column, one stays. Only rows of messages that the
-- chunk has moved.
WITH done AS MATERIALIZED (
  SELECT msg_id
    FROM job_ledger
   WHERE job_id = %(job_id)s
     AND chunk_no = %(chunk_no)s
     AND outcome = 'done'
), twice AS MATERIALIZED (
  SELECT {key} AS twice_key, min(msg_id) AS twice_msg_id
    FROM {archive}
   WHERE msg_id = ANY (ARRAY(SELECT msg_id FROM done))
   GROUP BY {key}
  HAVING count(*) > 1
), numbered AS (
  SELECT found.tableoid AS part, found.ctid AS place,
         row_number() OVER (PARTITION BY found::text ORDER BY found.tableoid, found.ctid) AS nth
    FROM {archive} AS found
   WHERE msg_id = ANY (ARRAY(SELECT twice_msg_id FROM twice))
     AND {key} IN (SELECT twice_key FROM twice)
)
DELETE FROM {archive}
 WHERE ctid = ANY (ARRAY(SELECT place FROM numbered WHERE nth > 1))
   -- Partitions have rows at the same places.
   AND (tableoid, ctid) IN (SELECT part, place FROM numbered WHERE nth > 1)
