-- OpenHub keeps the first funnel value in the message, and has no table funnel.
UPDATE incoming_message AS message
   SET funnel_value = funnel.value
  FROM (SELECT msg_id, min(funnel_value) AS value FROM incoming_funnel GROUP BY msg_id) AS funnel
 WHERE funnel.msg_id = message.msg_id AND message.funnel_value IS NULL;
TRUNCATE incoming_funnel;
