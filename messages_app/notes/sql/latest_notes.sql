-- One row per subject of a kind that has notes: its id, and the text of its newest note.
SELECT wanted.subject, latest.text
  FROM unnest(%(subjects)s::bigint[]) AS wanted (subject)
 CROSS JOIN LATERAL (
       SELECT text
         FROM note
        WHERE kind = %(kind)s AND note.subject = wanted.subject
        ORDER BY at DESC
        LIMIT 1) AS latest
