'use strict';

const { once } = require('node:events');
const https = require('node:https');
const { gunzipSync, inflateSync } = require('node:zlib');

/** The settings that the collector sends to an agent; it has defaults for the rest. */
const connected = { agent_run_id: 'run', collect_traces: false, collect_errors: true };

/** @param {Buffer} body @param {string | undefined} encoding */
function decode(body, encoding) {
  if (encoding === 'gzip') return gunzipSync(body);
  return encoding === 'deflate' ? inflateSync(body) : body;
}

/**
 * A fake of New Relic's collector, which records what the agent sends.
 * @param {{ key: Buffer, cert: Buffer }} certificate
 */
async function startCollector({ key, cert }) {
  /** @type {{ method: string, payload: any }[]} */
  const calls = [];
  const server = https.createServer({ key, cert }, async (req, res) => {
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    const method = new URL(req.url ?? '/', 'https://x').searchParams.get('method') ?? '';
    const text = String(decode(Buffer.concat(chunks), req.headers['content-encoding']));
    calls.push({ method, payload: text ? JSON.parse(text) : null });
    const value =
      method === 'preconnect' ? { redirect_host: `127.0.0.1:${port}` } : method === 'connect' ? connected : null;
    res.writeHead(200, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify({ return_value: value }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    calls,
    port,
    /** @returns {Map<string, number>} how often each metric was counted */
    metrics() {
      const data = calls.filter(({ method }) => method === 'metric_data');
      const rows = data.flatMap(({ payload }) => payload[3]);
      const counts = new Map();
      for (const [{ name }, [count]] of rows) counts.set(name, (counts.get(name) ?? 0) + count);
      return counts;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

module.exports = { startCollector };
