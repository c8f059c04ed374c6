-- Every trigger that has entries, each found by one index access, and every known one.
WITH RECURSIVE jump AS (
    (SELECT trigger_id FROM document_history ORDER BY trigger_id LIMIT 1)
    UNION ALL
    SELECT (SELECT trigger_id FROM document_history WHERE trigger_id > jump.trigger_id ORDER BY trigger_id LIMIT 1)
      FROM jump
     WHERE jump.trigger_id IS NOT NULL
)
SELECT trigger_id FROM jump WHERE trigger_id IS NOT NULL
 UNION
SELECT trigger_id FROM document_trigger
 ORDER BY 1
 LIMIT %(limit)s
