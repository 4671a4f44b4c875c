/** As `http` of MSW 2, which the shop installs. */
export interface Http<H> {
  get(path: string, resolver: (info: { request: Request }) => Response): H;
}

/** A reply by its path and query, as in `fixtures.json`. */
export type Replies = Record<string, { status: number; headers: Record<string, string>; body: unknown }>;

export interface MockOptions {
  /** As that of `createCatalog`. Default: any address. */
  url?: string | URL;
  /** Replies of your own, which precede those of `fixtures.json`. */
  replies?: Replies;
}

/**
 * Handlers of MSW for the routes of the catalog: `setupServer(...catalogHandlers(http))`. Parameters may be in any order. A request without
 * a reply gets a problem 501 that names its path and query.
 */
export function catalogHandlers<H>(http: Http<H>, options?: MockOptions): H[];
