-- A document with both its entries as one line: the processing one, or the completed one if it is alone. The other
-- entry is looked up by its key whatever the planner expects. Where it expects few completed entries, PostgreSQL hashes
-- all entries of that status first: 80 ms for a million of them, for a page of fifty. `OFFSET 0` keeps both subqueries
-- inside the row that asks them.
CREATE VIEW document_history_line AS
SELECT document_line_no(entry.trigger_id, entry.document_uuid) AS line_no,
       entry.trigger_id,
       entry.document_uuid,
       entry.time,
       entry.status = 'processing' AS has_processing,
       entry.status = 'completed'
         OR EXISTS (SELECT
                      FROM document_history AS completed
                     WHERE completed.trigger_id = entry.trigger_id
                       AND completed.document_uuid = entry.document_uuid
                       AND completed.status = 'completed'
                    OFFSET 0) AS has_completed
  FROM document_history AS entry
 WHERE entry.status = 'processing'
    OR NOT EXISTS (SELECT
                     FROM document_history AS processing
                    WHERE processing.trigger_id = entry.trigger_id
                      AND processing.document_uuid = entry.document_uuid
                      AND processing.status = 'processing'
                   OFFSET 0);
