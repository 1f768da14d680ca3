/**
 * Everything breaks at random while one tenant makes the most expensive calls: statements are canceled, connections are
 * cut, the server is killed, PostgreSQL crashes. Each acknowledged grant of another tenant is stored once, none in
 * part, and the server serves calls again after each of these events. `npm run soak -- storms` takes ten minutes.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addDocuments, countDocuments } from '#contract/resources/documents.ts'
import { addFolders, updateFolders } from '#contract/resources/folders.ts'
import { databaseClock } from '#platform/clock.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { type Client, createClient } from '#testing/client.ts'
import { eventually } from '#testing/eventually.ts'
import { startProcess } from '#testing/processes/process.ts'
import { patient } from '#testing/run/mode.ts'
import { startOwnPostgres } from '#testing/run/postgres.ts'
import { ENGINE, MASTER_KEY } from '#testing/server.ts'
import { assertEventsWithoutGaps, assertLedger, othersGone, readStored, type Sent, someResources } from './ledger.ts'

const SECONDS = Number(process.env.STORM_SECONDS ?? 5)
const CALLERS = 4
const organizationId = 'acme'
const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, nth) => `${prefix}${nth}`)

const EXPENSIVE: ((key: Client, nth: number) => Promise<unknown>)[] = [
  (key) =>
    key.post(getPermissions.path, {
      ...{ organizationId, userIds: ids('u', 10), documentIds: ids('d', 999) },
      skipResourceExistenceValidation: true,
    }),
  (key) =>
    key.post(countDocuments.path, {
      organizationId,
      filters: ids('k', 10).map((name) => ({ key: name, operator: 'in', value: ids('v', 100) })),
    }),
  (key, nth) =>
    key.post(addDocuments.path, {
      ...{ organizationId, createOrganization: true },
      documents: ids(`${nth}-`, 500).map((documentId) => ({ documentId, text: 'x'.repeat(200) })),
    }),
  (key, nth) =>
    key.post(updateFolders.path, {
      organizationId,
      folders: ids('f1', 10).map((folderId) => ({ folderId, parentFolderId: nth % 2 ? 'f2' : 'f3' })),
    }),
]

const ofOthers = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`

describe('a storm', { skip: ENGINE === 'embedded' }, () => {
  it('loses no acknowledged grant, stores none in part, and leaves a working server', async (t) => {
    const postgres = await startOwnPostgres({ fsync: true })
    cleanUp(postgres.stop)
    const settings = { DATABASE_URL: postgres.url, MASTER_KEY: MASTER_KEY.toString('base64') }
    let server = await startProcess(settings)
    const [busy, quiet] = [await server.client.newKey(), await server.client.newKey()]
    await busy.call(addFolders, {
      ...{ organizationId, createOrganization: true },
      folders: ids('f', 200).map((folderId, nth) => ({ folderId, ...(nth > 0 && { parentFolderId: `f${nth >> 3}` }) })),
    })
    const ledger: Sent[] = []
    const answers = new Map<number | string, number>()
    const db = await openPostgres(postgres.url, databaseClock, { connections: 2, statementTimeoutMs: 60_000 })
    const end = Date.now() + SECONDS * 1_000
    const latest = end + patient(60_000)
    /** On a busy machine a server that was killed may start again only after the end. */
    const goesOn = () => Date.now() < end || ((answers.get(200) ?? 0) <= SECONDS && Date.now() < latest)
    const current = (key: Client) => createClient(server.url).with(key.headers)

    const ask = async (nth: number) => {
      for (let turn = nth; goesOn(); turn++)
        await EXPENSIVE[turn % EXPENSIVE.length]?.(current(busy), turn).catch(() => sleep(20))
    }
    const grant = async () => {
      while (goesOn()) {
        const sent: Sent = {
          ...{ userId: `user ${ledger.length}`, resources: someResources(ledger.length) },
          acknowledged: false,
        }
        ledger.push(sent)
        const data = { user: { userId: sent.userId }, permissions: { resources: sent.resources } }
        const answer = await current(quiet)
          .post(addPermissions.path, data)
          .catch(() => undefined)
        const outcome = answer?.http ?? 'no response'
        assert.ok(['no response', 200, 503, 504].includes(outcome), answer?.text ?? '')
        answers.set(outcome, (answers.get(outcome) ?? 0) + 1)
        sent.acknowledged = outcome === 200
        if (outcome !== 200) await sleep(20)
      }
    }
    const troubles: Record<string, () => Promise<unknown>> = {
      'statements canceled': () => db.query(`select pg_cancel_backend(pid) ${ofOthers}`),
      'connections cut': () => db.query(`select pg_terminate_backend(pid) ${ofOthers}`),
      'server killed': async () => {
        await server.kill('SIGKILL')
        server = await startProcess(settings)
      },
      'PostgreSQL crashed': () => postgres.restart('crash'),
    }
    const happened: string[] = []
    const storm = async () => {
      for (let nth = 0; goesOn(); nth++) {
        await sleep(Math.random() * 400)
        // The last two take seconds.
        const rare = nth % 10 === 4 ? 'server killed' : nth % 10 === 9 ? 'PostgreSQL crashed' : undefined
        const name = rare ?? (Math.random() < 0.5 ? 'statements canceled' : 'connections cut')
        await troubles[name]?.().catch((error: Error) => assert.match(String(error), /terminat|cancel|connect/i))
        happened.push(name)
        if (rare !== undefined)
          await eventually(`a grant after: ${name}`, async () => (await isGranted(current(quiet))) || undefined)
      }
    }
    await Promise.all([...ids('', CALLERS).flatMap((_, nth) => [ask(nth), grant()]), storm()])

    for (let nth = 0; nth < 100; nth++) assert.ok(await isGranted(current(quiet)), `call ${nth} after the storm`)
    await server.kill('SIGKILL')
    await othersGone(db)
    const { rows } = await db.query(`select count(*) as count from grants where principal = 'after'`)
    const stored = await readStored(db)
    for (const found of [stored.grants, stored.events])
      for (const id of found.keys()) if (id.startsWith('after')) found.delete(id)
    assert.equal(Number((rows as { count: number }[])[0]?.count), 1)
    assertLedger(ledger, stored)
    await assertEventsWithoutGaps(db)
    await db.close()
    const counts = Object.entries(Object.groupBy(happened, (name) => name)).map(
      ([name, all]) => `${name}: ${all?.length}`,
    )
    await t.annotate(`${counts.join(', ')}; grants by outcome: ${JSON.stringify(Object.fromEntries(answers))}`)
    assert.ok((answers.get(200) ?? 0) > SECONDS, 'the load never came to anything')
  })
})

async function isGranted(key: Client): Promise<boolean> {
  const resource = { type: 'document' as const, id: 'd', organizationId: 'after', accessRole: 'viewer' as const }
  const data = { user: { userId: 'after' }, permissions: { resources: [resource] } }
  const answer = await key.post(addPermissions.path, data).catch(() => undefined)
  return answer?.http === 200
}
