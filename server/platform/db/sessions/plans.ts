/** Plans of statements: one plan serves all calls, and is made again as the data grow (ADR 0002, ADR 0011). */
import type pg from 'pg'

/**
 * Our statements find rows by key, in sets of any size, so one plan serves every call. With a plan for each call, a single
 * permissions/get took 3.6 ms instead of 0.4. A statement uses one process of the database: a tenant's share is counted in
 * connections, and the planner underestimates the rows of parallel sorts.
 */
export const PLANNER_SETTINGS = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  random_page_cost: '1.1',
} as const

/** Counted in rows sent on a connection. */
const FIRST_RENEWAL_ROWS = 16
const RENEWAL_FACTOR = 4

/**
 * Renews the plans of connections. A plan that was made while the tables were small scans them, and would still do so
 * after they have grown. So a connection discards its plans after some rows, and again whenever the number of sent rows
 * has grown by a factor.
 */
export class Plans {
  readonly #connections = new WeakMap<pg.PoolClient, { rowsSent: number; renewAt: number }>()

  note(client: pg.PoolClient, rows: number): void {
    this.#of(client).rowsSent += rows
  }

  /** Discards the plans of a connection if it is due, and returns whether it was. Call it outside transactions. */
  async renew(client: pg.PoolClient): Promise<boolean> {
    const plans = this.#of(client)
    if (plans.rowsSent < plans.renewAt) return false
    plans.renewAt = plans.rowsSent * RENEWAL_FACTOR
    await client.query('discard plans')
    return true
  }

  #of(client: pg.PoolClient) {
    const plans = this.#connections.get(client) ?? { rowsSent: 0, renewAt: FIRST_RENEWAL_ROWS }
    this.#connections.set(client, plans)
    return plans
  }
}
