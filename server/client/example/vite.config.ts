import { defineConfig, loadEnv } from 'vite';
const { WRITER_URL: target = 'http://127.0.0.1:7030', WRITER_KEY } = loadEnv('', '.', '');

/** The feed of changes is private. This server reads it with the key, which no browser gets. */
const headers = { Authorization: `Bearer ${WRITER_KEY}` };
const proxy = { '/live': { target, headers, rewrite: () => '/changes/stream?after=head' } };
export default defineConfig({ server: { proxy }, preview: { proxy } });
