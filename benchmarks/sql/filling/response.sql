-- Nine requests in ten have a response.
INSERT INTO response (res_id, req_id, res_envelope, failed_reason, res_timestamp, failed, msg_id)
SELECT req_id + 1, req_id, '<res/>', CASE WHEN req_id %% 70 = 3 THEN 'timeout' END,
       req_timestamp + interval '500 ms', req_id %% 70 = 3, msg_id
  FROM request WHERE req_id / %(ids)s %% 80 <> 8
