/**
 * Measures how the time of a check depends on the size of the store: 10,000 to 10,000,000 grants, each in a separate database,
 * with proportional organizations, users, folders and documents. Needs several gigabytes of disk and minutes to fill.
 */
import { checkPermissions } from '#contract/access/decisions.ts'
import { body, newDataSet, question } from './checks.ts'
import { takeTurns } from './support/load.ts'
import { say, sayHead, sayRow } from './support/report.ts'
import { type BenchServer, startProcess } from './support/server.ts'
import { newDatabase, postgresStore } from './support/store.ts'
import { WORLD, type WorldSize } from './support/world.ts'

const GRANTS = [1e4, 1e5, 1e6, 1e7]
const TURNS = 20
const BODIES = 10_000

/** Organizations of the same size as in the other benchmarks, with ten users for each. */
function sizeOf(grants: number): WorldSize {
  const organizations = Math.ceil(grants / (WORLD.members * 3))
  return { ...WORLD, organizations, users: organizations * 10 }
}

interface Store {
  size: WorldSize
  server: BenchServer
  headers: Record<string, string>
  filledIn: number
}

async function fill(common: Record<string, string>, grants: number): Promise<Store> {
  const databaseUrl = await newDatabase(common.DATABASE_URL ?? '', `scale_${grants}`)
  const settings = { ...common, DATABASE_URL: databaseUrl }
  const size = sizeOf(grants)
  const start = performance.now()
  const headers = await newDataSet({ settings, withStore: postgresStore(databaseUrl) }, size)
  const filledIn = Math.round((performance.now() - start) / 1000)
  return { size, server: await startProcess('server/main.ts', settings), headers, filledIn }
}

export async function benchScale(settings: Record<string, string>): Promise<void> {
  const stores: Store[] = []
  for (const grants of GRANTS) stores.push(await fill(settings, grants))
  const loads = stores.map(({ size, server, headers }) => ({
    url: server.url + checkPermissions.path,
    headers: { 'content-type': 'application/json', ...headers },
    bodies: Array.from({ length: BODIES }, () => body({ checks: [question(size)] })),
  }))
  say(`\n## Grants in the store: single checks, ${TURNS} turns of a second each`)
  sayHead('grants', 'organizations', 'documents', 'filled in s', '1 connection, p50 ms', '64 connections, p50 ms')
  const single = await takeTurns(
    loads.map((load) => ({ ...load, connections: 1 })),
    TURNS,
  )
  const many = await takeTurns(
    loads.map((load) => ({ ...load, connections: 64 })),
    TURNS,
  )
  for (const [nth, { size, filledIn }] of stores.entries()) {
    const { organizations, documents, members } = size
    const cells = [organizations * members * 3, organizations, organizations * documents, filledIn]
    sayRow(...cells, single[nth]?.p50Ms.toFixed(3) ?? '', many[nth]?.p50Ms.toFixed(2) ?? '')
  }
  const ratio = (measured: readonly { p50Ms: number }[]) =>
    ((measured.at(-1)?.p50Ms ?? 0) / (measured[0]?.p50Ms ?? 0)).toFixed(3)
  sayRow('ratio, last to first', '', '', '', ratio(single), ratio(many))
  for (const { server } of stores) await server.stop()
}
