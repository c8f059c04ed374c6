-- One sequence for every hub table, as the hub has it. Source: docs/contributing/spec/cleverbus.md, "Identifiers".
CREATE SEQUENCE hibernate_sequence;
ALTER TABLE message ALTER COLUMN msg_id SET DEFAULT nextval('hibernate_sequence');
ALTER TABLE external_call ALTER COLUMN call_id SET DEFAULT nextval('hibernate_sequence');
ALTER TABLE request ALTER COLUMN req_id SET DEFAULT nextval('hibernate_sequence');
ALTER TABLE response ALTER COLUMN res_id SET DEFAULT nextval('hibernate_sequence');
ALTER TABLE funnel ALTER COLUMN funnel_id SET DEFAULT nextval('hibernate_sequence');

-- The hub's own foreign keys, checked immediately. parent_msg_id and response.msg_id have none there either. Source:
-- docs/contributing/spec/cleverbus.md, "Table external_call", "Table request", "Table response", "Table funnel".
ALTER TABLE external_call
  ADD CONSTRAINT fk_external_call_message FOREIGN KEY (msg_id) REFERENCES message (msg_id);
ALTER TABLE request
  ADD CONSTRAINT fk_request_message FOREIGN KEY (msg_id) REFERENCES message (msg_id);
ALTER TABLE response
  ADD CONSTRAINT fk_response_request FOREIGN KEY (req_id) REFERENCES request (req_id);
ALTER TABLE funnel
  ADD CONSTRAINT fk_funnel_message FOREIGN KEY (msg_id) REFERENCES message (msg_id);
