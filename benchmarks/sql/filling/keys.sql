-- Two keys for each message: the number of an order, which one message has, and of a customer, which a thousand have.
INSERT INTO business_key (definition_id, value, msg_id, receive_timestamp)
SELECT definition_id,
       CASE name WHEN 'order' THEN 'N' || lpad((msg_id / 10)::text, 9, '0')
                 ELSE 'C' || lpad((msg_id / 10 %% (1 + %(messages)s / 1000))::text, 9, '0') END,
       msg_id, receive_timestamp
  FROM message
  JOIN business_key_definition USING (service_name, operation_name)
