-- Forgets messages that are read by no later pass.
DELETE FROM business_key_read WHERE msg_id <= %(safe)s
