-- Adds the messages that were read to the counts of their definitions, with the last fault of each.
UPDATE business_key_definition AS definition
   SET read = definition.read + counted.read,
       unreadable = definition.unreadable + counted.unreadable,
       missing = definition.missing + counted.missing,
       unusable = definition.unusable + counted.unusable,
       problem = coalesce(counted.problem, definition.problem),
       problem_msg_id = coalesce(counted.problem_msg_id, definition.problem_msg_id),
       problem_at = CASE WHEN counted.problem IS NULL THEN definition.problem_at ELSE clock_timestamp() END
  FROM unnest(%(definitions)s::bigint[], %(read)s::bigint[], %(unreadable)s::bigint[], %(missing)s::bigint[],
              %(unusable)s::bigint[], %(problems)s::text[], %(problem_ids)s::bigint[])
       AS counted (definition_id, read, unreadable, missing, unusable, problem, problem_msg_id)
 WHERE definition.definition_id = counted.definition_id
