/**
 * Decides a simulation in batches, each in a transaction of its own: on a database with one connection, everybody else waits
 * while a statement runs. The batches are of one moment nevertheless: all decide at the same time, and if the organization has
 * changed meanwhile, which its events show, they begin again (ADR 0017).
 */
import { LIMITS } from '#contract/limits.ts'
import type { SetStatement } from '#platform/db/statement.ts'
import {
  type BatchRow,
  SCOPE,
  SIMULATE,
  type SimulatedRow,
  type SimulationRow,
  type SimulationScope,
} from './simulation-statements.ts'

/** Runs a statement on a batch of a simulation, in a transaction. */
export type ReadSimulation = <Row>(statement: SetStatement<SimulationRow, Row>, batch: BatchRow) => Promise<Row[]>

/** The batch of one statement that decides everything, now. */
export const EVERYTHING: BatchRow = { usersInBatch: null, resourcesFrom: null, resourcesTo: null, decidedAt: null }

/** The pairs of one batch: 50 ms on the embedded engine. */
const BATCH_PAIRS = 1_000
/** After this many changes of the organization, one statement decides everything: a simulation always ends. */
const TRIES_MAX = 3

type Batch = Pick<BatchRow, 'usersInBatch' | 'resourcesFrom' | 'resourcesTo'>

/** Returns what `SIMULATE` returns for everything, but for the length of the page: each batch may fill one. */
export async function simulateInBatches(read: ReadSimulation): Promise<SimulatedRow[]> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const [scope] = await read(SCOPE, EVERYTHING)
    if (scope === undefined || scope.users.length * scope.resources <= BATCH_PAIRS) break
    const rows = await readBatches(read, scope)
    if (rows !== undefined) return rows
  }
  return read(SIMULATE, EVERYTHING)
}

/** Returns undefined if the organization changed meanwhile. */
async function readBatches(read: ReadSimulation, scope: SimulationScope): Promise<SimulatedRow[] | undefined> {
  const total = new Counts()
  const changed: SimulatedRow[] = []
  for (const batchesOfUsers of batchesOf(scope)) {
    const counts: SimulatedRow[] = []
    const ofUsers: SimulatedRow[] = []
    for (const batch of batchesOfUsers) {
      const rows = await read(SIMULATE, { ...batch, decidedAt: scope.now })
      const [first] = rows
      if (first === undefined || first.version !== scope.version) return undefined
      counts.push(first)
      ofUsers.push(...rows.filter(({ userId }) => userId !== null))
    }
    total.add(counts)
    if (total.pairs > LIMITS.simulatedPairsMax) break // the call is refused
    changed.push(...(batchesOfUsers.length > 1 ? ofUsers.sort(byResource) : ofUsers))
  }
  return total.rows(changed)
}

/**
 * Returns the batches of each group of users, in the order of the users: one batch for several users or, if there are very many
 * resources, several batches for each user.
 */
function* batchesOf({ users, resources }: SimulationScope): Generator<Batch[]> {
  const usersAtOnce = Math.max(Math.floor(BATCH_PAIRS / Math.max(resources, 1)), 1)
  for (let from = 0; from < users.length; from += usersAtOnce) {
    const ids = users.slice(from, from + usersAtOnce)
    const usersInBatch = JSON.stringify(Object.fromEntries(ids.map((id) => [id, 1])))
    if (resources <= BATCH_PAIRS) yield [{ usersInBatch, resourcesFrom: null, resourcesTo: null }]
    else
      yield Array.from({ length: Math.ceil(resources / BATCH_PAIRS) }, (_, nth) => ({
        usersInBatch,
        resourcesFrom: nth * BATCH_PAIRS,
        resourcesTo: (nth + 1) * BATCH_PAIRS,
      }))
  }
}

const KINDS = ['organization', 'folder', 'document']

/** The order of the statement: by kind, then by the bytes of the id. */
const byResource = (one: SimulatedRow, other: SimulatedRow): number =>
  KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) ||
  Buffer.compare(Buffer.from(one.resourceId), Buffer.from(other.resourceId))

const OF_PAIRS = ['pairs', 'gained', 'lost', 'changed', 'everyoneGained', 'everyoneLost'] as const
const OF_USERS = ['usersGained', 'usersLost', 'usersChanged'] as const

/** The counts of all batches. */
class Counts {
  readonly #total = Object.fromEntries([...OF_PAIRS, ...OF_USERS].map((name) => [name, 0])) as Record<
    (typeof OF_PAIRS | typeof OF_USERS)[number],
    number
  >

  get pairs(): number {
    return this.#total.pairs
  }

  /** Adds the batches of the same users: their pairs differ, the users do not. */
  add(batches: readonly SimulatedRow[]): void {
    for (const name of OF_PAIRS) for (const batch of batches) this.#total[name] += batch[name]
    for (const name of OF_USERS) this.#total[name] += Math.max(...batches.map((batch) => batch[name]))
  }

  /** Returns the rows with these counts; without changes, a single row whose `userId` is null. */
  rows(changed: readonly SimulatedRow[]): SimulatedRow[] {
    const rows = changed.length > 0 ? changed : [{ userId: null } as SimulatedRow]
    return rows.map((row) => ({ ...row, ...this.#total }))
  }
}
