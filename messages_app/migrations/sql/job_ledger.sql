-- The outcome of each item. Each refusal is looked up by its key: a join could read all refusals of all jobs. An undo
-- gives each message the state that the undone job found, where that job changed states; also looked up by its keys.
CREATE VIEW job_ledger AS
SELECT item.job_id, item.chunk_no, item.msg_id, item.root_msg_id, item.old_state,
       CASE WHEN refusal.outcome IS NULL
             AND (chunk.committed_at IS NOT NULL OR item.msg_id <= chunk.done_through)
            THEN coalesce(chunk.new_state,
                          (SELECT undone.old_state
                             FROM job_item AS undone
                            WHERE undone.msg_id = item.msg_id
                              AND undone.job_id = (SELECT undo_of FROM job WHERE job.job_id = item.job_id)
                              AND (SELECT changed.new_state
                                     FROM job_chunk AS changed
                                    WHERE changed.job_id = undone.job_id
                                      AND changed.chunk_no = undone.chunk_no) IS NOT NULL))
       END::varchar AS new_state,
       CASE WHEN refusal.outcome IS NOT NULL THEN refusal.outcome
            WHEN chunk.committed_at IS NOT NULL OR item.msg_id <= chunk.done_through THEN 'done'
       END AS outcome,
       chunk.outcomes ? 'done' AS chunk_has_done
  FROM job_chunk AS chunk
  JOIN job_item AS item ON item.job_id = chunk.job_id AND item.chunk_no = chunk.chunk_no
  LEFT JOIN LATERAL (SELECT job_refusal.outcome
                       FROM job_refusal
                      WHERE job_refusal.job_id = item.job_id
                        AND job_refusal.msg_id = item.msg_id
                      LIMIT 1) AS refusal ON true;
