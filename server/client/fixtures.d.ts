/** Replies by path and query. Any other call has none. */
declare const fixtures: Record<string, { status: number; headers: Record<string, string>; body: unknown }>;
export default fixtures;
