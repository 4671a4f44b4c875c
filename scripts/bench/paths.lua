-- Requests the paths of the file PATHS in random order; each thread of each start (START) has its own sequence.
local paths = {}
for path in io.lines(os.getenv("PATHS")) do
  paths[#paths + 1] = path
end

local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set("seed", threads)
end

function init()
  math.randomseed(1000 * tonumber(os.getenv("START")) + seed)
end

function request()
  return wrk.format("GET", paths[math.random(#paths)])
end
