-- One row per trigger that knows the document: whether it is in progress, and whether it is in doubt.
SELECT asked.trigger_id,
       EXISTS (SELECT FROM document_open AS open
                WHERE open.trigger_id = asked.trigger_id AND open.document_uuid = %(key)s),
       EXISTS (SELECT FROM document_in_doubt AS line
                WHERE line.trigger_id = asked.trigger_id AND line.identifier = %(key)s
                  AND (line.state = 'open' OR line.state = 'resubmitted' AND line.taken_at IS NULL))
  FROM unnest(%(triggers)s::text[]) AS asked (trigger_id)
 WHERE EXISTS (SELECT FROM document_history AS entry
                WHERE entry.trigger_id = asked.trigger_id AND entry.document_uuid = %(key)s)
    OR EXISTS (SELECT FROM document_content AS content
                WHERE content.trigger_id = asked.trigger_id AND content.document_uuid = %(key)s)
    OR EXISTS (SELECT FROM document_in_doubt AS line
                WHERE line.identifier = %(key)s AND line.trigger_id = asked.trigger_id)
    OR EXISTS (SELECT FROM document_outcome AS outcome
                WHERE outcome.identifier = %(key)s AND outcome.trigger_id = asked.trigger_id)
