UPDATE document_trigger
   SET cleared_outcome_id = greatest(cleared_outcome_id,
                                     coalesce((SELECT max(outcome_id) FROM document_outcome), 0))
 WHERE %(trigger_id)s::text IS NULL
    OR trigger_id = %(trigger_id)s
