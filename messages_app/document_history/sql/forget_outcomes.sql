DELETE FROM document_outcome
 WHERE outcome_id IN (SELECT outcome_id
                        FROM document_outcome
                       WHERE at <= now() - make_interval(days => %(days)s)
                       ORDER BY at
                       LIMIT %(limit)s)
