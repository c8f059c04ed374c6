-- One row per service whose stop at this time is counted: its name.
SELECT asked.item_key
  FROM unnest(%(keys)s::text[], %(ats)s::timestamptz[]) AS asked (item_key, at)
  JOIN failure_item AS known ON known.item_key = asked.item_key
 WHERE known.store = %(store)s
   AND known.at >= asked.at
