/** How the database plans our statements: one plan serves all calls, and is made anew while the data grow (ADR 0002, ADR 0011). */
import type pg from 'pg'

/**
 * Our statements reach rows by key, in sets of any size: one plan serves every call. Planning each anew took 3.6 ms
 * instead of 0.4 for a single permissions/get.
 */
export const PLANNER_SETTINGS = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  jit: 'off',
  random_page_cost: '1.1',
} as const

/** In rows sent on a connection. */
const FIRST_RENEWAL_ROWS = 16
const RENEWAL_FACTOR = 4

/**
 * A plan that was made while the tables were small reads them whole, and would go on doing so while they grow. So a
 * connection makes its plans anew after some rows, and then each time it has sent this many times more.
 */
export class Plans {
  readonly #connections = new WeakMap<pg.PoolClient, { rowsSent: number; renewAt: number }>()

  note(client: pg.PoolClient, rows: number): void {
    this.#of(client).rowsSent += rows
  }

  /** To be called where no transaction is open. */
  async renew(client: pg.PoolClient): Promise<void> {
    const plans = this.#of(client)
    if (plans.rowsSent < plans.renewAt) return
    plans.renewAt = plans.rowsSent * RENEWAL_FACTOR
    await client.query('discard plans')
  }

  #of(client: pg.PoolClient) {
    const plans = this.#connections.get(client) ?? { rowsSent: 0, renewAt: FIRST_RENEWAL_ROWS }
    this.#connections.set(client, plans)
    return plans
  }
}
