-- Rows in addition that are hard to archive and restore: a family that is final, values that only look like NULL, times
-- of the hour that clocks show twice, a response of an archived message without a request, one without either, and a call
-- with an entity that needs quotes.
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service, source_system, state,
                     operation_name, payload, failed_desc, custom_data, failed_count, last_update_timestamp,
                     parent_msg_id, guaranteed_order)
VALUES (20, 'c 20', '2023-10-29 02:30', '2023-10-29 02:30:00.123456', 'S', 'CRM', 'OK', 'op', E'a\tb\nc\\d', '', '\N', 0,
        '2023-10-29 02:59:59.999999', NULL, true),
       (21, 'c "21"', '2023-10-29 01:30', '2023-10-29 03:30', 'S', 'CRM', 'CANCEL', 'op', '{"x": null}', NULL, 'null', 1,
        NULL, 20, false),
       (22, 'c,22', '2023-10-29 01:30', '2023-10-29 00:00', 'S', 'CRM', 'FAILED', 'op', 'příliš žluťoučký', NULL, NULL, 1,
        '2023-07-01 12:00', 20, false);
INSERT INTO external_call (call_id, creation_timestamp, entity_id, failed_count, last_update_timestamp, msg_timestamp,
                           msg_id, operation_name, state)
VALUES (120, '2023-10-29 02:30', 'it''s "quoted", {}', 1, '2023-10-29 02:30', '2023-10-29 02:30', 20, 'op', 'OK');
INSERT INTO response (res_id, req_id, res_envelope, res_timestamp, failed, msg_id)
VALUES (320, NULL, '<r/>', '2023-10-29 02:30', true, 20), (398, NULL, '', '2023-10-29 02:30', false, NULL);
