/**
 * Sweeps a store with expired grants once, and dies at the given step of it: before a statement of its transactions or a
 * commit is sent, or while the answer is awaited. Without a step it names the steps it saw.
 */
import { setImmediate as immediate } from 'node:timers/promises'
import { sweepExpired } from '#features/permissions/expiry.ts'
import { databaseClock } from '#platform/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { readConfig } from '../../server/config.ts'

export interface SweepOrder {
  /** Of new organizations, whose expired grants it inserts first. */
  organizationIds: string[]
  apiKeyId: string
  /** From 1; null: run to the end. */
  dieAt: { step: number; when: 'before' | 'during' } | null
}

/** More than a batch takes of an organization. */
const GRANTS = 800
const KEPT_DAYS = 30

const { organizationIds, apiKeyId, dieAt }: SweepOrder = JSON.parse(process.argv[2] ?? '')
const { DATABASE_URL, DATA_DIR } = readConfig(process.env)
const opened =
  DATABASE_URL === undefined
    ? await openEmbedded(DATA_DIR, databaseClock)
    : await openPostgres(DATABASE_URL, databaseClock, { connections: 2, statementTimeoutMs: 30_000 })

/** In each organization grants that wait for their event, and one whose event is old. */
await opened.transaction(async (session) => {
  for (const id of organizationIds) {
    const { rows } = await session.query(
      `insert into organizations (organization_key, api_key_id, organization_id, added_at)
       values (gen_random_uuid(), $1, $2, now()) returning organization_key as key`,
      [apiKeyId, id],
    )
    const [organization] = rows as { key: string }[]
    await session.query(
      `insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
       values ($1, $1, 'organization', $2, now(), array[$1::uuid], 1, $1)`,
      [organization?.key, id],
    )
    await session.query(
      `insert into grants (organization_key, resource_key, user_id, kind, role, expires_at, expiry_event_at)
       select $1::uuid, $1::uuid, 'user ' || n, 'organization'::resource_kind, 'viewer'::access_role, now() - interval '1 hour', null::timestamptz
         from generate_series(1, $2::int) n
       union all select $1::uuid, $1::uuid, 'long ago', 'organization', 'viewer', now() - interval '90 days', now() - interval '89 days'`,
      [organization?.key, GRANTS],
    )
  }
})

const steps: string[] = []

/** Counts a step, and dies when it is the one. */
function step<T>(name: string, take: () => Promise<T>): Promise<T> {
  steps.push(name)
  if (dieAt?.step !== steps.length) return take()
  if (dieAt.when === 'before') process.kill(process.pid, 'SIGKILL')
  const taken = take()
  setImmediate(() => process.kill(process.pid, 'SIGKILL'))
  return taken
}

const db: Db = Object.create(opened, {
  transaction: {
    value: (work, options) =>
      opened.transaction(async (session) => {
        const answer = await work({
          run: (statement, values) => step(statement.name, () => session.run(statement, values)),
          runSet: (set, rows) => step(set.name, () => session.runSet(set, rows)),
          query: (text, values) => session.query(text, values),
        })
        // The commit follows as soon as this returns, so that `during` dies with it under way.
        await step('commit', async () => {})
        return answer
      }, options),
  } satisfies { value: Db['transaction'] },
})

await sweepExpired({ db, keptDays: KEPT_DAYS })
await immediate() // a death that is due comes first: the embedded engine may have done all the rest in one turn
process.stdout.write(`${JSON.stringify(steps)}\n`)
process.exit(0)
