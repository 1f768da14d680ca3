/** Tests of the app with a real server and a data set of their own. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startTestServer } from '@commonhold/client/testing'

const commonhold = await startTestServer()
const { client, apiKey, authToken, remove } = await commonhold.newKey()
Object.assign(process.env, {
  COMMONHOLD_URL: commonhold.url,
  COMMONHOLD_API_KEY: apiKey,
  COMMONHOLD_AUTH_TOKEN: authToken,
})
const { app } = await import('./app.ts') // reads the environment

const resource = { type: 'document', id: 'roadmap', organizationId: 'acme' } as const
await client.documents.add({
  organizationId: 'acme',
  createOrganization: true,
  documents: [{ documentId: 'roadmap', accessType: 'restricted' }],
})
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
after(async () => {
  server.close()
  await commonhold.stop()
})

async function statusOf(method: string, user: string): Promise<number> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/organizations/acme/documents/roadmap`
  return (await fetch(url, { method, headers: { 'x-demo-user': user } })).status
}

test('viewers read, editors write, others do neither', async () => {
  await client.grant({ userId: 'ada', resource, accessRole: 'viewer' })
  await client.grant({ userId: 'eve', resource, accessRole: 'editor' })
  assert.deepEqual([await statusOf('GET', 'ada'), await statusOf('PUT', 'ada')], [200, 403])
  assert.deepEqual([await statusOf('GET', 'eve'), await statusOf('PUT', 'eve')], [200, 200])
  assert.deepEqual([await statusOf('GET', 'bob'), await statusOf('PUT', 'bob')], [403, 403])
})

test('a revoked grant is denied at once', async () => {
  await client.grant({ userId: 'cyd', resource, accessRole: 'viewer' })
  assert.equal(await statusOf('GET', 'cyd'), 200)
  await client.revoke({ userId: 'cyd', resource })
  assert.equal(await statusOf('GET', 'cyd'), 403)
})

test('nobody passes, and nobody is denied, when the credentials of the app are refused', async () => {
  await remove()
  assert.deepEqual([await statusOf('GET', 'ada'), await statusOf('GET', 'bob')], [503, 503])
})
