/** Refusals of a real server become errors with status, reason and advice. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { createClient, createWorkspaceClient } from '#sdk/index.ts'
import { apiKeyClient, failureOf, publicClient } from '#testing/clients.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'

const server = await startServer({ HEADER_PREFIX: 'service' })
const key = await server.newKey()
const client = apiKeyClient(server.url, key)

describe('an error of the server', () => {
  it('has its status, reason, message and request id', async () => {
    const error = await failureOf(client.folders.get({ organizationId: 'nobody' }))
    assert.equal(error.status, 'NOT_FOUND')
    assert.equal(error.reason, 'organization_does_not_exist')
    assert.equal(error.operation, 'folders.get')
    assert.equal(error.message, `folders.get: ${error.explanation}`)
    assert.match(error.explanation, /^The organization .*\.$/)
    assert.equal(error.retryable, false)
    assert.match(error.requestId ?? '', /./)
    assert.deepEqual(error.faults, [])
    // The type that editors and compilers see.
    if (error.reason === 'organization_does_not_exist') assert.equal(error.name, 'CommonholdError')
  })

  it('lists every fault of the data', async () => {
    const data = { organizationId: '', folders: [{ folderId: 'a', folderNam: 'A' }] }
    const { status, faults, explanation } = await failureOf(client.folders.add(data as never))
    assert.equal(status, 'INVALID_ARGUMENT')
    assert.deepEqual(faults.map(({ field }) => field).toSorted(), ['folders[0].folderNam', 'organizationId'])
    assert.ok(faults.some((fault) => fault.message === explanation))
    assert.match(faults.map((fault) => fault.message).join(), /did you mean "folderName"\?/)
  })

  it('about invalid credentials names them without the secret, and says what to check', async () => {
    const apiKey = apiKeyOf(key)
    const stranger = createClient({ url: server.url, apiKey, authToken: 'not-the-token' })
    const { status, message } = await failureOf(stranger.domains.get())
    assert.equal(status, 'UNAUTHENTICATED')
    assert.equal(
      message,
      `domains.get: The credentials are not valid. They were those of the API key ${apiKey} at ${server.url}: is that the right server, is the key of this environment, and is the auth token one of that key?`,
    )
    const owner = createWorkspaceClient({ url: server.url, workspaceId: 'w', workspaceToken: 'not-the-token' })
    assert.match((await failureOf(owner.workspaces.get())).message, /those of the workspace w at http/)
  })

  it('about missing headers says that the server may have another HEADER_PREFIX', async () => {
    const other = createClient({ url: server.url, apiKey: 'a', authToken: 'b', headerPrefix: 'acme' })
    const { reason, message } = await failureOf(other.domains.get())
    assert.equal(reason, 'header_missing')
    assert.match(
      message,
      /^domains\.get: The header x-service-api-key is required\. The client sends x-acme-…; if the server has another HEADER_PREFIX/,
    )
  })

  it('about an unknown path says that the server may be of another version', async () => {
    const behind = createClient({ url: `${server.url}/behind`, apiKey: 'a', authToken: 'b' })
    assert.match((await failureOf(behind.domains.get())).message, /may be of another version than this client/)
  })

  it('keeps details unchanged', async () => {
    const error = await failureOf(
      client.permissions.get({ organizationId: 'acme', userIds: ['ada'], documentIds: ['d'] }),
    )
    assert.equal(error.reason, 'resource_does_not_exist')
    assert.ok('ada' in (error.details as object))
  })
})

describe('a server with another HEADER_PREFIX', () => {
  it('is called with headerPrefix', async () => {
    const acme = await startServer({ HEADER_PREFIX: 'acme' })
    const owner = await publicClient(acme.url).workspaces.create({ ownerEmail: 'ada@example.com' })
    const workspace = createWorkspaceClient({
      url: acme.url,
      headerPrefix: 'acme',
      workspaceId: owner.id,
      workspaceToken: owner.authToken,
    })
    const { apiKey, authToken = '' } = await workspace.apiKeys.create({
      ownerEmail: 'ada@example.com',
      type: 'testing',
      createAuthToken: true,
    })
    const keyed = createClient({ url: acme.url, headerPrefix: 'acme', apiKey, authToken })
    assert.deepEqual(await keyed.domains.get(), { allowedDomains: [] })
  })
})

describe('an Idempotency-Key', () => {
  it('makes a repeat of a call return the result of the first', async () => {
    const data = { organizationId: 'keyed', createOrganization: true, documents: [{ documentId: 'd' }] }
    const first = await client.documents.add(data, { idempotencyKey: 'once' })
    assert.deepEqual(await client.documents.add(data, { idempotencyKey: 'once' }), first)
    assert.equal((await client.documents.add(data)).d?.code, 'already-exists')
    const { reason } = await failureOf(
      client.documents.add({ ...data, documents: [{ documentId: 'e' }] }, { idempotencyKey: 'once' }),
    )
    assert.equal(reason, 'idempotency_key_reused')
  })
})
