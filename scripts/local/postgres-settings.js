'use strict';
const fs = require('node:fs');
const os = require('node:os');

const mb = 1024 * 1024;
/** @param {number} value @param {number} low @param {number} high */
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** @returns {number} bytes that this process may use: the container's limit where there is one */
function memoryBytes() {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, os.totalmem()) : os.totalmem();
}

/** @returns {number} bytes of /dev/shm, 0 where there is none */
function sharedMemoryBytes() {
  try {
    const { bsize, blocks } = fs.statfsSync('/dev/shm');
    return bsize * blocks;
  } catch {
    return 0;
  }
}

/**
 * The settings of the embedded server, sized from memory; fsync and full_page_writes stay on. The machine is
 * shared with the workers, so the usual "25 % of memory" for shared_buffers is halved.
 * Advice: postgresql.org/docs/current/runtime-config-resource.html and populate.html.
 * @param {{ memory?: number, cores?: number, shm?: number, workers?: number }} [machine] bytes and counts; the real ones
 *   unless given
 * @returns {Record<string, string>}
 */
function postgresSettings({
  memory = memoryBytes(),
  cores = os.availableParallelism(),
  shm = sharedMemoryBytes(),
  workers = 0,
} = {}) {
  const memoryMb = Math.floor(memory / mb);
  /** @param {number} share @param {number} low @param {number} high */
  const sized = (share, low, high) => `${clamp(Math.floor(memoryMb * share), low, high)}MB`;
  return {
    // Documents and cards of 1,000,000 products are about 2.2 GB: a larger share only copies the page cache.
    shared_buffers: sized(1 / 8, 64, 2048),
    // Reads the buffers back after a restart. Without it, p99 of 1,000 styles a second after a start was 155 ms instead of 8.
    shared_preload_libraries: `'pg_prewarm'`,
    // A hint to the planner: the likely size of the kernel's cache.
    effective_cache_size: sized(1 / 2, 256, 65536),
    // A load builds two indexes at once; larger saves no merge pass at our sizes.
    maintenance_work_mem: sized(1 / 32, 64, 512),
    // Per sort or hash of each query: the loader's documents of products, a handful at a time.
    work_mem: sized(1 / 256, 8, 64),
    // Nothing replicates, so a COPY into a table of the same transaction skips the WAL.
    wal_level: 'minimal',
    // wal_level=minimal refuses to start with walsenders.
    max_wal_senders: '0',
    // A checkpoint comes at half of it. One in the middle of a load makes the index builds log full pages: a million
    // products write 4.1 GB of WAL without any, 6.3 GB with two.
    max_wal_size: sized(1 / 3, 512, 8192),
    // Fewer full-page images; costs up to this much replay after a crash.
    checkpoint_timeout: '15min',
    // With data checksums the first index build after a load logs full pages; pglz made it take twice as long.
    wal_compression: 'off',
    // A worker takes 5, and workers stay below 80 %: the loader and an operator need some too.
    max_connections: String(Math.max(100, 7 * workers)),
    // Parallel index builds may take every core, no more.
    max_parallel_maintenance_workers: String(clamp(cores, 1, 4)),
    // Off would let transaction ids and dead rows of small writes pile up.
    autovacuum: 'on',
    // The embedded build has no LLVM; a system build would compile queries that run for a millisecond.
    jit: 'off',
    // A container's /dev/shm is often 64 MB; one parallel query can need more ("could not resize shared memory").
    dynamic_shared_memory_type: shm >= 1024 * mb ? 'posix' : 'mmap',
    // SSDs and page cache: random reads cost about what sequential ones do.
    random_page_cost: '1.1',
    // Unix socket only: no port to collide with, none to scan.
    listen_addresses: `''`,
    unix_socket_permissions: '0700',
    password_encryption: 'scram-sha-256',
    // Statements can contain data, so only slow ones are logged.
    log_min_duration_statement: '5s',
    log_line_prefix: `'%m [%p] %q%u@%d '`,
    log_checkpoints: 'off',
    timezone: `'UTC'`,
  };
}

module.exports = { postgresSettings };
