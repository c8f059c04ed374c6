-- One row per document of the given triggers that started at the given times.
SELECT entry.document_uuid
  FROM unnest(%(triggers)s::text[], %(times)s::timestamptz[]) AS gone (trigger_id, time)
 CROSS JOIN LATERAL (SELECT document_uuid
                       FROM document_history
                      WHERE document_history.trigger_id = gone.trigger_id
                        AND document_history.time = gone.time) AS entry
