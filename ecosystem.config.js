'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { WORKER_HEAP_MB, WORKER_MAX_MB } = require('./server/core/policy');

/*
 * One worker per core in fork mode, each on its own port, for nginx to balance and to be scraped alone.
 * `npm start` sets the environment that is read here; on a node of the fleet the service unit does.
 */
const env = process.env;
const workers = Number(env.CATALOG_WORKERS || os.availableParallelism());
const firstPort = Number(env.CATALOG_WORKER_PORT || 3030);
const firstAdminPort = Number(env.CATALOG_ADMIN_PORT || 9030);
// PM2 keeps the path that a worker was first started with, so on a node it is a link to the release that serves.
const home = env.CATALOG_HOME || __dirname;
// A release brings its own Node. By the link, too: a worker that PM2 starts again runs on the Node of the release that serves.
const ownNode = path.join(home, 'node/bin/node');
const logs = env.CATALOG_LOGS || path.join(__dirname, '.state/logs');
// Settings of the workers, which get the same environment; defaults as in server/config/settings.js.
const drainDeadlineMs = Number(env.DRAIN_DEADLINE_MS || 10_000);
const readyWaitMs = Number(env.READY_WAIT_MS || 3000);
// Above the deadline and the worker's margin of 2 s: a SIGKILL in the middle of the drain cuts replies short.
const killTimeoutMs = drainDeadlineMs + 3000;
// Includes the start of Node on a busy machine. At its end a reload deletes the old worker even if the new one
// is not ready.
const listenTimeoutMs = readyWaitMs + 12_000;
// The worker's garbage dies young: a larger young generation only holds more of it. With Node's own sizes a worker
// grew to 250–390 MB under traffic, with these to less than 180 MB. server/DECISIONS.md says what keeps it below 150.
const semiSpaceMb = 4;

// glibc gives each thread that compresses or collects an arena of its own, up to 8 a core, and returns little of them.
// Two took 10 MB less after the same cold, mixed, compressed and list reads.
const mallocArenas = 2;

// A long page has memory of its own that returns to the system when its reply has left. By default glibc keeps such blocks in its
// arenas once it has seen one freed.
const mallocMapBytes = 2 ** 20;

/**
 * @param {string} name @param {string} script below cwd: PM2 hands a script whose path has a space to bash
 * @param {Record<string, string>} own environment @param {string[]} foreign what is in the names of variables that it does not get
 */
const program = (name, script, own, foreign) => ({
  name,
  script,
  cwd: home,
  exec_mode: 'fork',
  interpreter: fs.existsSync(ownNode) ? ownNode : process.execPath,
  // PM2 looks at memory every 30 s: a fast leak must meet V8's own limit first.
  node_args: [`--max-old-space-size=${WORKER_HEAP_MB}`, `--max-semi-space-size=${semiSpaceMb}`],
  max_memory_restart: `${WORKER_MAX_MB}M`,
  filter_env: foreign,
  env: { ...own, MALLOC_ARENA_MAX: String(mallocArenas), MALLOC_MMAP_THRESHOLD_: String(mallocMapBytes) },
  // "Ready" is listening and warmed, not merely spawned.
  wait_ready: true,
  listen_timeout: listenTimeoutMs,
  kill_timeout: killTimeoutMs,
  // Without a delay 16 quick exits leave a program "errored" forever. This delay grows to 15 s and then starts again.
  exp_backoff_restart_delay: 100,
  // A worker starts no process; looking for its children needs `ps`, which a slim image lacks.
  treekill: false,
  autorestart: true,
  // npm run dev: a saved file restarts the worker.
  watch: env.CATALOG_WATCH ? ['server'] : false,
  vizion: false, // do not read the git folder at every start
  pmx: false, // no PM2 probe inside the worker
  out_file: path.join(logs, `${name}.log`),
  error_file: path.join(logs, `${name}.log`),
  merge_logs: true,
});

/** @param {number} index */
const worker = (index) => {
  const [port, adminPort] = [String(firstPort + index), String(firstAdminPort + index)];
  // The database URL of the writer is no business of a program that faces the public.
  return program(`worker-${port}`, 'server/index.js', { PORT: port, ADMIN_PORT: adminPort }, ['WRITE_']);
};

const writers = env.WRITE_DATABASE_URL ? [program('writer', 'server/writer/index.js', {}, ['REDIS_URL'])] : [];

module.exports = { apps: [...Array.from({ length: workers }, (_, index) => worker(index)), ...writers] };
