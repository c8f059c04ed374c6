-- The keys come first, as an array: for a join, the planner may read the whole table.
DELETE FROM document_outcome
 WHERE outcome_id = ANY (ARRAY(SELECT outcome_id
                                 FROM document_outcome
                                WHERE at <= now() - make_interval(days => %(days)s)
                                ORDER BY at
                                LIMIT %(limit)s))
