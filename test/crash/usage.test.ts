/**
 * Usage with two servers on one database, one of which is killed: written counts stay and count once, and at most the
 * last seconds are lost.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { getUsage } from '#contract/usage/usage.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { createLastingStore, startProcess } from '#testing/processes/process.ts'

const FIRST = 20
const LAST = 10

async function callTimes(key: Client, count: number): Promise<void> {
  for (let nth = 0; nth < count; nth++)
    await key.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
}

const callsOf = async (key: Client) => (await key.call(getUsage, {})).periods.reduce((sum, { calls }) => sum + calls, 0)

describe('the usage of a key', () => {
  it('keeps what a killed server has written, and loses at most the calls of its last seconds', async () => {
    const { settings } = await createLastingStore()
    const [one, other] = [await startProcess(settings), await startProcess(settings)]
    const key = await one.client.newKey()
    const through = other.client.with(key.headers)
    await callTimes(key, FIRST)
    let own = 0 // each read is a call of the other server
    await until('the calls of the other server', async () => (await callsOf(through)) - own++ === FIRST)
    await callTimes(key, LAST)
    await one.kill('SIGKILL')
    const counted = (await callsOf(through)) - own++
    assert.ok(counted >= FIRST && counted <= FIRST + LAST, `${counted}`)
    await other.kill('SIGTERM')
    const again = await startProcess(settings)
    const after = (await callsOf(again.client.with(key.headers))) - own
    assert.equal(after, counted, 'a server that is stopped writes everything, and nothing counts twice')
  })
})
