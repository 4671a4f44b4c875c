-- Requests the paths of the file PATHS in random order; each start (START) has its own sequence.
local paths = {}
for path in io.lines(os.getenv("PATHS")) do
  paths[#paths + 1] = path
end

function init()
  math.randomseed(tonumber(os.getenv("START")))
end

function request()
  return wrk.format("GET", paths[math.random(#paths)])
end
