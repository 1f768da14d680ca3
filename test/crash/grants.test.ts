/** Grants under load while the server is killed repeatedly: every acknowledged request is stored once, and none partially. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import type { Client } from '#testing/client.ts'
import { createLastingStore, type Settings, spawnServer, startProcess } from '#testing/processes/process.ts'
import { FULL } from '#testing/run/mode.ts'
import { ENGINE } from '#testing/server.ts'
import {
  assertEventsWithoutGaps,
  assertLedger,
  below,
  grantId,
  othersGone,
  readStored,
  type Sent,
  someResources,
} from './ledger.ts'

/** The embedded engine takes three times as long to start. */
const USUAL_KILLS = FULL ? 8 : ENGINE === 'postgres' ? 4 : 2
const KILLS = Number(process.env.KILLS ?? USUAL_KILLS)
const CALLERS = 16

/** Adds grants as fast as the server responds, each to another user, until the server is dead. */
async function grantUntilKilled(client: Client, ledger: Sent[]): Promise<void> {
  const caller = async () => {
    for (;;) {
      const sent: Sent = {
        userId: `user ${ledger.length}`,
        resources: someResources(ledger.length),
        acknowledged: false,
      }
      ledger.push(sent)
      const data = { user: { userId: sent.userId }, permissions: { resources: sent.resources } }
      const answer = await client.post(addPermissions.path, data).catch(() => undefined)
      if (answer === undefined) return
      assert.equal(answer.http, 200, answer.text)
      sent.acknowledged = true
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
}

/** Checks on the restarted server some of the grants that the previous one acknowledged. */
async function assertAnswered(client: Client, ledger: readonly Sent[]): Promise<void> {
  const recent = ledger.filter(({ acknowledged }) => acknowledged).slice(-20)
  await Promise.all(
    recent.map(async ({ userId, resources: [resource] }) => {
      if (resource?.type !== 'document' || resource.organizationId === undefined) return
      const { organizationId, id } = resource
      const found = await client.call(getPermissions, { organizationId, userIds: [userId], documentIds: [id] })
      assert.equal(found[userId]?.documents?.[id]?.accessRole, resource.accessRole, grantId(resource, userId))
    }),
  )
}

/** Kills a server while it starts, also while it recovers from the previous kill. */
async function killDuringStart(settings: Settings): Promise<void> {
  const server = spawnServer(settings)
  await sleep(below(500))
  await server.kill('SIGKILL')
}

describe('kill -9', () => {
  test(`keeps every acknowledged grant through ${KILLS} kills under load, once, and no partial request`, async (t) => {
    const store = await createLastingStore()
    const ledger: Sent[] = []
    const starts: number[] = []
    let server = await startProcess(store.settings)
    const headers = (await server.client.newKey()).headers
    for (let kill = 1; kill <= KILLS; kill++) {
      const before = ledger.length
      const load = grantUntilKilled(server.client.with(headers), ledger)
      while (!ledger.slice(before).some(({ acknowledged }) => acknowledged)) await sleep(10)
      await sleep(below(300))
      await server.kill('SIGKILL')
      await load
      if (kill % 2 === 0) await killDuringStart(store.settings)
      server = await startProcess(store.settings)
      starts.push(server.startMs)
      await assertAnswered(server.client.with(headers), ledger)
    }
    await server.kill('SIGKILL')

    const db = await store.open()
    try {
      await othersGone(db)
      assertLedger(ledger, await readStored(db))
      await assertEventsWithoutGaps(db)
    } finally {
      await db.close()
    }
    starts.sort((a, b) => a - b)
    const acknowledged = ledger.filter((sent) => sent.acknowledged).length
    t.annotate(`${acknowledged} of ${ledger.length} requests acknowledged`)
    t.annotate(`restarts: median ${starts[starts.length >> 1]} ms, longest ${starts.at(-1)} ms`)
    assert.ok(acknowledged > KILLS, 'the load never came to anything')
  })
})
