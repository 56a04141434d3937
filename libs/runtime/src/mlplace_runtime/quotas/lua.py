"""The Redis version of `state.py`: one hash per bucket, changed by one atomic script.

Fields: `level`, `at`, `cap`, and for each holder `h:<name>` with granted, spent, returned, apart, and the time until
which it counts as alive. A bucket expires when it would be full again; one that never fills is kept.
"""

from typing import Final

# KEYS: bucket. ARGV: holder, now (ms, empty: use Redis' clock), capacity, period (ms, 0: never fills), rises at once
# (0/1), spent, returned, apart, acked spent, acked returned, acked apart, least, demand, extra, level (empty: an
# unknown bucket stays unknown), leaving (0/1), lifetime of a holder (ms). Returns granted, level, holders, known. Lua
# computes in doubles, and Redis truncates returned numbers to integers, some to 32 bits; so amounts are returned as
# text.
SYNC: Final = """
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local holder, cap, period, rises = 'h:' .. ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5] == '1'
local spent, returned, apart = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local least, demand, extra = tonumber(ARGV[12]), tonumber(ARGV[13]), tonumber(ARGV[14])
local leaving, lives = ARGV[16] == '1', tonumber(ARGV[17])

local fields = redis.call('HGETALL', KEYS[1])
local level, at, old, holders = nil, now, cap, {}
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  if name == 'level' then level = tonumber(value)
  elseif name == 'at' then at = tonumber(value)
  elseif name == 'cap' then old = tonumber(value)
  else
    local g, s, r, a, u = value:match('^(%S+) (%S+) (%S+) (%S+) (%S+)$')
    holders[name] = {tonumber(g), tonumber(s), tonumber(r), tonumber(a), tonumber(u)}
  end
end
if not level then
  if ARGV[15] == '' then return {'0', '0', '0', '0'} end
  level = math.min(cap, tonumber(ARGV[15]))
end

local function out(h) return h[1] - h[2] - h[3] end
local function all_out()
  local sum = 0
  for _, h in pairs(holders) do sum = sum + out(h) end
  return sum
end

local rate = 0
if period > 0 then rate = old / period end
level = math.max(level, math.min(old - all_out(), level + math.max(0, now - at) * rate))
at = now
for name, h in pairs(holders) do
  if h[5] <= now and name ~= holder then
    level = level + out(h)
    holders[name] = nil
    redis.call('HDEL', KEYS[1], name)
  elseif h[5] > now + lives then -- the clock was set back
    redis.call('HSET', KEYS[1], name,
      string.format('%.0f %.0f %.0f %.0f %.0f', h[1], h[2], h[3], h[4], now + lives))
  end
end
local more = cap - old
if more < 0 then
  local least = math.min(level, 0)
  if period == 0 and rises then least = level + more end
  level = math.max(least, level + more)
elseif rises then
  level = level + more
end
level = math.min(level, cap - all_out())

local mine = holders[holder]
if not mine then
  local s, r = tonumber(ARGV[9]), tonumber(ARGV[10])
  mine = {s + r, s, r, tonumber(ARGV[11]), 0}
end
holders[holder] = nil
local lease = out(mine)
local new = math.max(0, spent - mine[2])
local covered = math.min(new, lease)
level = level - (new - covered)
local back = math.min(math.max(0, returned - mine[3]), lease - covered)
level = level + back
level = math.max(math.min(level, 0), level - math.max(0, apart - mine[4]))
lease = lease - covered - back

local count = 0
for _ in pairs(holders) do count = count + 1 end
local granted = spent + returned
if leaving then
  level = level + lease
  redis.call('HDEL', KEYS[1], holder)
else
  local asked = 0
  if demand > 0 and level >= least then asked = math.min(demand, math.floor(level)) end
  local grant = asked + math.max(0, math.min(extra, math.floor((level - asked) / 4)))
  level = level - grant
  local s, r = math.max(mine[2], spent), math.max(mine[3], returned)
  granted = s + r + lease + grant
  redis.call('HSET', KEYS[1], holder,
    string.format('%.0f %.0f %.0f %.0f %.0f', granted, s, r, math.max(mine[4], apart), now + lives))
  count = count + 1
end
redis.call('HSET', KEYS[1], 'level', string.format('%.17g', level), 'at', string.format('%.0f', at),
  'cap', string.format('%.0f', cap))
if period > 0 and cap > 0 then
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f',
    math.ceil(math.max(0, cap - level) / cap * period) + 3 * lives))
else
  redis.call('PERSIST', KEYS[1])
end
return {string.format('%.0f', granted), string.format('%.17g', level), string.format('%.0f', count), '1'}
"""
