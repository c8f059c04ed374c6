-- The values of business keys in some messages.
SELECT value FROM business_key WHERE msg_id = ANY (%(ids)s)
