-- One row: whether the console has all tables in which messages with values can be: those of the hub to which it was
-- attached when it read them, and the archive tables of this hub.
SELECT pass.hub_schema IN ('', coalesce(attachment.hub_schema, ''))
   AND (pass.archive_schema = '' OR attachment.archive_schema <> '')
   AND to_regclass('message') IS NOT NULL
   AND to_regclass('archive_message') IS NOT NULL
  FROM business_key_pass AS pass
  LEFT JOIN attachment ON true
