-- One row per new message: its id. It has the identity, the place in its order, the parent and the funnel of its
-- original; its state and counters are those of a message that the hub has not processed. A child has the times of its
-- parent. {message} is the hub's table itself, because a view has no place to write times to.
INSERT INTO {message} (msg_id, correlation_id, process_id, msg_timestamp, receive_timestamp, {service}, source_system,
                       state, start_process_timestamp, object_id, entity_type, operation_name, payload, envelope,
                       failed_count, {last}, parent_msg_id, parent_binding_type, funnel_value, funnel_component_id,
                       guaranteed_order, exclude_failed_state)
SELECT asked.msg_id,
       left(original.correlation_id, 100 - length(asked.suffix)) || asked.suffix,
       original.process_id,
       original.msg_timestamp,
       CASE WHEN original.parent_msg_id IS NULL THEN {now} ELSE original.receive_timestamp END,
       original.{service},
       original.source_system,
       %(to_state)s,
       {now},
       original.object_id,
       original.entity_type,
       original.operation_name,
       asked.payload,
       original.envelope,
       0,
       {now},
       original.parent_msg_id,
       original.parent_binding_type,
       original.funnel_value,
       original.funnel_component_id,
       original.guaranteed_order,
       original.exclude_failed_state
  FROM (SELECT original_id, msg_id, payload, '_r' || msg_id AS suffix
          FROM unnest(%(ids)s::bigint[], %(new_ids)s::bigint[], %(payloads)s::text[])
               AS asked (original_id, msg_id, payload)) AS asked
  JOIN {message} AS original ON original.msg_id = asked.original_id
RETURNING msg_id
