/** `commonhold mcp` refuses some calls, and reports changes that were made in part. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUserGroups } from '#contract/users/user-groups.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { environmentOf, newHome, profilesIn } from '#testing/processes/cli.ts'
import { type Calls, Previews } from '../../cli/mcp/previews.ts'
import { startAssistant } from './support/mcp.ts'
import { acme, CALLS, GRANT, newWorld, organizationId, roleOfAda, server } from './support/mcp-world.ts'

const LOCAL = ['describe_operation', 'apply_change']
const CALLING = Object.keys(CALLS).filter((name) => !LOCAL.includes(name))

describe('without --allow-changes', () => {
  it('a change is not offered, not made, and its preview says so', async () => {
    const { apiKey, environment } = await newWorld()
    const { client, call } = await startAssistant(environment)
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name }) => name).sort(),
      Object.keys(CALLS)
        .filter((n) => n !== 'apply_change')
        .sort(),
    )
    const { content } = await call('preview_change', GRANT)
    assert.equal(content.previewToken, undefined)
    assert.match(content.cannotBeApplied, /A person can start it with --allow-changes/)
    await assert.rejects(call('apply_change', { change: GRANT, previewToken: 'any' }), /apply_change not found/)
    assert.equal(await roleOfAda(apiKey), undefined)
  })
})

describe('a production key', () => {
  it('is refused by every tool, and read but not changed with --allow-production', async () => {
    const { workspace, none } = await newWorld()
    const owner = { ownerEmail: 'ada@example.com', type: 'production', planInfo: { type: 'pro' } } as const
    const { apiKey, authToken = '' } = await workspace.call(createApiKey, { ...owner, createAuthToken: true })
    const key = none.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
    await key.call(addOrganizations, { organizations: [{ organizationId }] })
    const environment = environmentOf(server.url, { apiKey: key })
    const changing = await startAssistant(environment, ['--allow-changes'])
    for (const name of CALLING)
      assert.match(
        await changing.refusal(name, CALLS[name]),
        /^chk_live_\w+ is not an API key of the testing environment.* --allow-production\.$/,
      )
    const reading = await startAssistant(environment, ['--allow-production'])
    assert.equal((await reading.data('who_has_access', { resource: acme })).everyone, false)
    assert.match((await reading.call('preview_change', GRANT)).content.cannotBeApplied, /--allow-changes/)

    const both = await startAssistant(environment, ['--allow-production', '--allow-changes'])
    const { previewToken } = (await both.call('preview_change', GRANT)).content
    assert.match(
      await changing.refusal('apply_change', { change: GRANT, previewToken }),
      /not from a preview of this server/,
    )
    assert.equal(await roleOfAda(key), undefined)
    await both.data('apply_change', { change: GRANT, previewToken })
    assert.equal(await roleOfAda(key), 'viewer')
  })
})

describe('a preview', () => {
  it('is forgotten after ten minutes, and after fifty more previews', async () => {
    let nowMs = 0
    const previews = new Previews(() => nowMs)
    const change = { organizationId }
    const plan = { calls: [], outcome: 'outcome', outcomeNow: async () => 'outcome' }
    const use = (token: string) => previews.use(token, change, {} as Calls)
    const tokens = Array.from({ length: 51 }, () => previews.remember(change, plan))
    await assert.rejects(use(tokens[0] ?? ''), /not from a preview/)
    nowMs = 600_000
    await use(tokens[1] ?? '')
    nowMs = 600_001
    await assert.rejects(use(tokens[2] ?? ''), /older than 10 minutes/)
  })

  it('of more than a thousand pairs cannot be applied', async () => {
    const { apiKey, environment } = await newWorld()
    const documents = Array.from({ length: 1_000 }, (_, index) => ({
      documentId: `d${index}`,
      accessType: 'restricted' as const,
    }))
    await apiKey.call(addDocuments, { organizationId, documents })
    const { call } = await startAssistant(environment, ['--allow-changes'])
    const accessTypes = documents.map(({ documentId: id }) => ({
      resource: { type: 'document', id },
      accessType: 'organizationPrivate',
    }))
    const add = ['ada', 'bob'].map((userId) => ({ userId, resource: acme, accessRole: 'viewer' }))
    const { content } = await call('preview_change', { organizationId, add, accessTypes })
    assert.equal(content.tenantData.counts.gained, 2_002)
    assert.match(content.cannotBeApplied, /^More than 1,000 pairs/)
    assert.equal(content.previewToken, undefined)
  })

  it('of only the named resources cannot be applied, because the change affects more', async () => {
    const { apiKey, environment } = await newWorld()
    await apiKey.call(addDocuments, { organizationId, documents: [{ documentId: 'inside' }] })
    const { call, refusal } = await startAssistant(environment, ['--allow-changes'])
    const change = { ...GRANT, includeInside: false }
    const { content } = await call('preview_change', change)
    assert.deepEqual(content.tenantData.counts, { gained: 1, lost: 0, changed: 0 })
    assert.equal(content.previewToken, undefined)
    assert.match(content.cannotBeApplied, /^Only the resources that the change names were compared/)
    const { previewToken } = (await call('preview_change', GRANT)).content
    assert.match(await refusal('apply_change', { change, previewToken }), /not the change that was previewed/)
    assert.equal(await roleOfAda(apiKey), undefined)
  })
})

describe('a change that fails half-way', () => {
  it('reports what was done, what failed, and what was not attempted', async () => {
    const { apiKey, environment } = await newWorld()
    await apiKey.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'design' }] })
    await apiKey.call(addPermissions, { user: { userId: 'bob' }, permissions: { resources: [acme] } })
    const gateway = await startGateway(server.url, (path) => path.endsWith('/grants/add'))
    const { call } = await startAssistant({ ...environment, COMMONHOLD_URL: gateway }, ['--allow-changes'])
    const change = {
      ...GRANT,
      remove: [{ userId: 'bob', resource: acme }],
      join: [{ userId: 'ada', groupId: 'design' }],
    }
    const { previewToken } = (await call('preview_change', change)).content
    const { isError, content } = await call('apply_change', { change, previewToken })
    const { applied, failed, notAttempted } = content.tenantData
    assert.deepEqual([isError, content.outcome], [true, 'partly applied'])
    assert.deepEqual([applied[0].operation, failed.operation], ['permissions.remove', 'grants.add'])
    assert.equal(failed.error.reason, 'invalid_argument')
    assert.deepEqual(notAttempted[0].operation, 'user-group-users.add')
  })

  it('says that a call may have been made when its response is lost', async () => {
    const { apiKey, environment } = await newWorld()
    const gateway = await startGateway(server.url, (path) => (path.endsWith('/grants/add') ? 'afterwards' : false))
    const { call } = await startAssistant({ ...environment, COMMONHOLD_URL: gateway }, ['--allow-changes'])
    const { previewToken } = (await call('preview_change', GRANT)).content
    const { isError, content } = await call('apply_change', { change: GRANT, previewToken })
    assert.deepEqual([isError, content.outcome], [true, 'unknown'])
    assert.match(content.next, /may have been made or not/)
    assert.equal(content.tenantData.failed.error.reason, 'unreachable')
    assert.equal(await roleOfAda(apiKey), 'viewer')
  })

  it('is finished when the input ends meanwhile', async () => {
    const { apiKey, environment } = await newWorld()
    await apiKey.call(addPermissions, { user: { userId: 'bob' }, permissions: { resources: [acme] } })
    const revoking = Promise.withResolvers<void>()
    const gateway = await startGateway(server.url, async (path) => {
      if (path.endsWith('/permissions/remove')) revoking.resolve()
      await sleep(300)
      return false
    })
    const { client, call } = await startAssistant({ ...environment, COMMONHOLD_URL: gateway }, ['--allow-changes'])
    const change = { ...GRANT, remove: [{ userId: 'bob', resource: acme }] }
    const { previewToken } = (await call('preview_change', change)).content
    const unheard = assert.rejects(call('apply_change', { change, previewToken }))
    await revoking.promise
    await client.close()
    await unheard
    assert.equal(await roleOfAda(apiKey), 'viewer')
  })

  it('reports items that the server refused', async () => {
    const { apiKey, environment } = await newWorld()
    await apiKey.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'design' }] })
    const { call } = await startAssistant(environment, ['--allow-changes'])
    const change = { organizationId, join: [{ userId: 'nobody', groupId: 'design' }] }
    const { previewToken } = (await call('preview_change', change)).content
    const { content } = await call('apply_change', { change, previewToken })
    assert.equal(content.outcome, 'applied, except for some items')
    assert.equal(content.tenantData.applied[0].result.nobody.code, 'not-found')
  })
})

type Refusal = boolean | 'afterwards'

/** Starts a gateway in front of a server that itself refuses some paths, or breaks the connection after the call was made. */
async function startGateway(to: string, refuses: (path: string) => Refusal | Promise<Refusal>): Promise<string> {
  const gateway = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { url = '', headers } = request
    const { host: _, connection: __, 'content-length': ___, ...others } = headers
    const error = { message: 'Refused.', status: 'INVALID_ARGUMENT', reason: 'invalid_argument', requestId: 'r' }
    const refusal = await refuses(url)
    const answer =
      refusal === true
        ? Response.json({ error }, { status: 400 })
        : await fetch(to + url, {
            method: 'POST',
            headers: others as Record<string, string>,
            body: Buffer.concat(chunks),
          })
    const text = await answer.text()
    if (refusal === 'afterwards') request.socket.destroy()
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  gateway.listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  cleanUp(() => void gateway.close().closeAllConnections())
  return `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
}

describe('a call that cannot be made', () => {
  it('says that the server is down, and what to do', async () => {
    const { environment } = await newWorld()
    const gone = createServer().listen(0, '127.0.0.1')
    await once(gone, 'listening')
    const COMMONHOLD_URL = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`
    gone.close()
    const { refusal } = await startAssistant({ ...environment, COMMONHOLD_URL })
    assert.match(
      await refusal('search', CALLS.search),
      new RegExp(`^Cannot reach ${COMMONHOLD_URL} \\(ECONNREFUSED\\)\\. Is the server running, .*commonhold doctor`),
    )
  })

  it('names the missing credentials or scope', async () => {
    const { workspace, apiKey, environment } = await newWorld()
    const without = await startAssistant({ COMMONHOLD_URL: server.url })
    assert.match(await without.refusal('search', CALLS.search), /COMMONHOLD_API_KEY and COMMONHOLD_AUTH_TOKEN/)
    const broken = await startAssistant(profilesIn(newHome(), { profiles: { default: {} } }))
    assert.match(await broken.refusal('search', CALLS.search), /the profile default has no url/)
    const key = apiKey.headers['x-service-api-key'] ?? ''
    const { authToken } = await workspace.call(createAuthToken, { apiKey: key, name: 'reading', scopes: ['read'] })
    const COMMONHOLD_AUTH_TOKEN = authToken.token
    const reading = await startAssistant({ ...environment, COMMONHOLD_AUTH_TOKEN }, ['--allow-changes'])
    assert.match(await reading.refusal('list_changes'), /scope.* commonhold token create/)
    const { previewToken } = (await reading.call('preview_change', GRANT)).content
    const { isError, content } = await reading.call('apply_change', { change: GRANT, previewToken })
    assert.deepEqual([isError, content.outcome], [true, 'failed'])
    assert.equal(content.tenantData.failed.error.reason, 'scope_missing')
  })
})
