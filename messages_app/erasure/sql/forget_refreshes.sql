-- One row for each refresh of the message, found by its key.
DELETE FROM entity_refresh AS refresh
 USING message_store AS store
 WHERE store.message_identifier = %(identifier)s
   AND refresh.entity = store.source_entity
   AND refresh.effective_timestamp = coalesce(store.effective_timestamp, store.message_timestamp)
   AND refresh.source_message = store.message_identifier
RETURNING refresh.entity
