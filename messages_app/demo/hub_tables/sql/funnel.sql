-- The table that CleverBus 2.0 adds. Source: docs/contributing/spec/cleverbus.md, "Table funnel".
CREATE TABLE funnel (
  funnel_id bigint PRIMARY KEY,
  msg_id bigint NOT NULL CONSTRAINT fk_funnel_message REFERENCES message,
  funnel_value varchar(50) NOT NULL
);
