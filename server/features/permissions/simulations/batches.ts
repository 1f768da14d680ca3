/**
 * Decides a simulation in batches, each in a transaction of its own: on a database with one connection, every other call waits
 * while a statement runs. The result is still that of one moment: all batches use the time of the first query, and if the
 * organization has a new event meanwhile, they start again (ADR 0017).
 */
import { LIMITS } from '#contract/core/limits.ts'
import type { SetStatement } from '#platform/db/statement.ts'
import { PAIR_LIMIT } from './affected.ts'
import { EffectGroups } from './effect-group-sums.ts'
import type { BatchRow, SimulatedRow, SimulationRow } from './rows.ts'
import { SCOPE, SIMULATE, type SimulationScope } from './statements.ts'

/** Runs a statement on a batch of a simulation, in a transaction. */
export type ReadSimulation = <Row>(statement: SetStatement<SimulationRow, Row>, batch: BatchRow) => Promise<Row[]>

/** The batch of one statement that decides everything, now. */
export const EVERYTHING: BatchRow = {
  usersInBatch: null,
  resourcesFrom: null,
  resourcesTo: null,
  decidedAt: null,
  usersMax: null,
}

/** The maximum number of pairs in a batch, which takes 50 to 100 ms on the embedded engine. */
const BATCH_PAIRS = 1_000
/**
 * The number of pairs in a batch. Each batch finds the affected resources again, five in the time of one pair; with this number
 * of pairs deciding takes longer than finding.
 */
const RESOURCES_PER_PAIR = 5
/** After this many tries, one statement decides everything, so a simulation always ends. */
const TRIES_MAX = 3

type Batch = Pick<BatchRow, 'usersInBatch' | 'resourcesFrom' | 'resourcesTo'>

/** Returns the rows that one run of `SIMULATE` would return. If there are too many pairs, it returns only their number. */
export async function simulateInBatches(read: ReadSimulation, pageSize: number): Promise<SimulatedRow[]> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const [scope] = await read(SCOPE, EVERYTHING)
    if (scope === undefined) break
    const pairs = scope.pairs.reduce((sum, count) => sum + count, 0)
    if (Math.max(pairs, scope.resources) > LIMITS.simulatedPairsMax) return [{ pairs: PAIR_LIMIT } as SimulatedRow]
    if (pairs <= BATCH_PAIRS) break
    const rows = await readBatches(read, scope, pageSize)
    if (rows !== undefined) return rows
  }
  return read(SIMULATE, EVERYTHING)
}

/**
 * Decides about the first `LIMITS.countedUsersMax` users in the order of their ids, and about the user that stands for all without
 * a grant. `complete`: these are all whom the changes affect. If the organization changes during all tries, one statement decides
 * about those of the last one; others may have come meanwhile. If too many resources are affected, nothing is counted.
 */
export async function simulateFirstUsers(
  read: ReadSimulation,
): Promise<{ counts: SimulatedRow | undefined; complete: boolean }> {
  const usersMax = LIMITS.countedUsersMax + 1 // with the one that stands for all others
  for (let tries = 1; ; tries++) {
    const [scope] = await read(SCOPE, { ...EVERYTHING, usersMax })
    if (scope === undefined || scope.resources > LIMITS.simulatedPairsMax) return { counts: undefined, complete: false }
    const first = { ...scope, users: scope.users.slice(0, usersMax), pairs: scope.pairs.slice(0, usersMax) }
    const rows = await readBatches(read, first, 1)
    if (rows !== undefined) return { counts: rows[0], complete: scope.users.length <= usersMax }
    if (tries < TRIES_MAX) continue
    const [counts] = await read(SIMULATE, { ...EVERYTHING, usersInBatch: mapOf(first.users) })
    return { counts, complete: false }
  }
}

/** Decides all batches. Returns undefined if the organization has changed meanwhile. */
async function readBatches(
  read: ReadSimulation,
  scope: SimulationScope,
  pageSize: number,
): Promise<SimulatedRow[] | undefined> {
  const total = new Counts()
  const changed: SimulatedRow[] = []
  for (const batchesOfUsers of batchesOf(scope)) {
    const counts: SimulatedRow[] = []
    const ofUsers: SimulatedRow[] = []
    for (const batch of batchesOfUsers) {
      const rows = await read(SIMULATE, { ...EVERYTHING, ...batch, decidedAt: scope.now })
      const [first] = rows
      if (first === undefined || first.version !== scope.version) return undefined
      counts.push(first)
      ofUsers.push(...rows.filter(({ userId }) => userId !== null))
    }
    total.add(counts)
    if (changed.length <= pageSize) changed.push(...(batchesOfUsers.length > 1 ? ofUsers.sort(byResource) : ofUsers))
  }
  return total.rows(changed.slice(0, pageSize + 1))
}

/**
 * Returns the batches of each group of users, in the order of the users: one batch for several users or, if a user has very many
 * pairs, several batches for this user.
 */
function* batchesOf({ users, pairs, resources }: SimulationScope): Generator<Batch[]> {
  const pairsMax = Math.max(BATCH_PAIRS, Math.ceil(resources / RESOURCES_PER_PAIR))
  let group: string[] = []
  let sum = 0
  for (const [index, userId] of users.entries()) {
    const count = pairs[index] ?? 0
    if (group.length > 0 && sum + count > pairsMax) {
      yield [{ usersInBatch: mapOf(group), resourcesFrom: null, resourcesTo: null }]
      group = []
      sum = 0
    }
    if (count > pairsMax) yield rangesOf(userId, count, pairsMax)
    else {
      group.push(userId)
      sum += count
    }
  }
  if (group.length > 0) yield [{ usersInBatch: mapOf(group), resourcesFrom: null, resourcesTo: null }]
}

const mapOf = (userIds: readonly string[]): string => JSON.stringify(Object.fromEntries(userIds.map((id) => [id, 1])))

const rangesOf = (userId: string, count: number, size: number): Batch[] =>
  Array.from({ length: Math.ceil(count / size) }, (_, nth) => ({
    usersInBatch: mapOf([userId]),
    resourcesFrom: nth * size,
    resourcesTo: (nth + 1) * size,
  }))

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

  readonly #groups = new EffectGroups()

  /** Adds the batches of the same users: pairs add up, each user counts once. */
  add(batches: readonly SimulatedRow[]): void {
    for (const name of OF_PAIRS) for (const batch of batches) this.#total[name] += batch[name]
    for (const name of OF_USERS) this.#total[name] += Math.max(...batches.map((batch) => batch[name]))
    this.#groups.add(batches.map(({ groups }) => groups))
  }

  /** Returns the rows with these counts; without changes, a single row whose `userId` is null. */
  rows(changed: readonly SimulatedRow[]): SimulatedRow[] {
    const rows = changed.length > 0 ? changed : [{ userId: null } as SimulatedRow]
    return rows.map((row) => ({ ...row, ...this.#total, groups: this.#groups.rows() }))
  }
}
