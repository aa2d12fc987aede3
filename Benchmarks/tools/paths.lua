-- wrk -s paths.lua http://127.0.0.1:PORT/ -- PATHS_FILE
-- GETs of the paths in the file, one a line; each thread starts at its own place. The last line of the output is JSON.
local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set("place", threads * 7919)
end

local requests = {}
function init(arguments)
  for path in io.lines(arguments[1]) do requests[#requests + 1] = wrk.format("GET", path) end
end

function request()
  place = place + 1
  return requests[place % #requests + 1]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format('{"requests":%d,"seconds":%.6f,"errors":%d,"timeouts":%d,"p50":%.1f,"p99":%.1f}',
    summary.requests, summary.duration / 1e6, errors.connect + errors.read + errors.write + errors.status,
    errors.timeout, latency:percentile(50), latency:percentile(99)))
end
