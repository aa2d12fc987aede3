-- wrk -s load.lua http://127.0.0.1:PORT/PATH -- REQUESTS_FILE
-- The file holds one request body a line; each thread starts at its own place. A body with the mark COUNTER gets a
-- number in its stead, so that no two requests carry the same document. The last line of the output is JSON.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["x-api-key"] = "da2-fakeApiId123456"

local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set("place", threads * 7919)
end

local requests, parts = {}, nil
function init(arguments)
  for body in io.lines(arguments[1]) do
    local before, after = body:match("^(.*)COUNTER(.*)$")
    -- The number is as long as its mark, so the head stays true.
    if before then parts = { wrk.format(nil, nil, nil, body):match("^(.*)COUNTER(.*)$") } end
    requests[#requests + 1] = wrk.format(nil, nil, nil, body)
  end
end

function request()
  place = place + 1
  if parts then return parts[1] .. string.format("%07d", place % 10000000) .. parts[2] end
  return requests[place % #requests + 1]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format('{"requests":%d,"seconds":%.6f,"errors":%d,"timeouts":%d,"p50":%.1f,"p99":%.1f}',
    summary.requests, summary.duration / 1e6, errors.connect + errors.read + errors.write + errors.status,
    errors.timeout, latency:percentile(50), latency:percentile(99)))
end
