/** `commonhold mcp`: what it refuses, what it never shows, how much it returns, and how it ends. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { createApiKey } from '#contract/api-keys.ts'
import { createAuthToken } from '#contract/auth-tokens.ts'
import { checkPermissions } from '#contract/decisions.ts'
import { addDocuments } from '#contract/documents.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { addOrganizations } from '#contract/organizations.ts'
import { addPermissions } from '#contract/permissions.ts'
import { setProfiles } from '#contract/profiles.ts'
import { runSearch } from '#contract/search.ts'
import { updateEmailConfig } from '#contract/service-configs.ts'
import { addUserGroups } from '#contract/user-groups.ts'
import { generateToken } from '#contract/user-tokens.ts'
import { createWebhookEndpoint } from '#contract/webhook-endpoints.ts'
import { getWebhookSecret } from '#contract/webhook-secrets.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { environmentOf, newHome, profilesIn, startCli } from '#testing/cli.ts'
import { createClient } from '#testing/client.ts'
import { startReceiver } from '#testing/receiver.ts'
import { sharedServer, startServer } from '#testing/server.ts'
import { fitting } from '../../cli/mcp/fitting.ts'
import { Previews } from '../../cli/mcp/previews.ts'
import { newCallers } from '../conformance/support/callers.ts'
import { newExampleWorld, webhookOf } from '../conformance/support/example-world.ts'
import { startAssistant } from './support/mcp.ts'

const server = await sharedServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const organizationId = 'acme'
const acme = { type: 'organization', id: organizationId } as const
const GRANT = { organizationId, add: [{ userId: 'ada', resource: acme, accessRole: 'viewer' }] }

async function newWorld() {
  const callers = await newCallers(server.url)
  await callers.apiKey.call(addOrganizations, { organizations: [{ organizationId }] })
  return { ...callers, environment: environmentOf(server.url, callers) }
}

const roleOfAda = async (key: Awaited<ReturnType<typeof newWorld>>['apiKey']) =>
  (await key.call(checkPermissions, { checks: [{ userId: 'ada', resource: acme }] })).checks[0]?.accessRole

/** A call of each tool, by its name. */
const CALLS: Readonly<Record<string, object>> = {
  search: { query: 'a' },
  get: { kind: 'user', id: 'ada' },
  list_changes: {},
  check_access: { checks: [{ userId: 'ada', resource: acme }] },
  explain_access: { userId: 'ada', resource: acme },
  who_has_access: { resource: acme },
  what_can_user_access: { organizationId, userId: 'ada' },
  describe_operation: { operation: 'users.get' },
  read_operation: { operation: 'organizations.get' },
  preview_change: GRANT,
  apply_change: { change: GRANT, previewToken: 'guessed' },
}
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
      /of no preview of this server/,
    )
    assert.equal(await roleOfAda(key), undefined)
    await both.data('apply_change', { change: GRANT, previewToken })
    assert.equal(await roleOfAda(key), 'viewer')
  })
})

describe('a preview', () => {
  it('is forgotten after ten minutes, and when fifty others came after it', async () => {
    let nowMs = 0
    const previews = new Previews(() => nowMs)
    const change = { organizationId }
    const use = (token: string) => previews.use(token, change, async () => 'outcome')
    const tokens = Array.from({ length: 51 }, () => previews.remember(change, 'outcome'))
    await assert.rejects(use(tokens[0] ?? ''), /of no preview/)
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

/** Starts a gateway in front of a server that itself refuses some paths. */
async function startGateway(to: string, refuses: (path: string) => boolean | Promise<boolean>): Promise<string> {
  const gateway = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { url = '', headers } = request
    const { host: _, connection: __, 'content-length': ___, ...others } = headers
    const error = { message: 'Refused.', status: 'INVALID_ARGUMENT', reason: 'invalid_argument', requestId: 'r' }
    const answer = (await refuses(url))
      ? Response.json({ error }, { status: 400 })
      : await fetch(to + url, {
          method: 'POST',
          headers: others as Record<string, string>,
          body: Buffer.concat(chunks),
        })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  gateway.listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  cleanUp(() => void gateway.close().closeAllConnections())
  return `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
}

describe('secrets', () => {
  it('are in no result and not in the log, wherever somebody has put them', async () => {
    const own = await startServer({ REVEAL_SECRETS: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' })
    const { callers, exampleOf } = await newExampleWorld(createClient(own.url), runSearch)
    const { apiKey, workspace } = callers
    await webhookOf(callers, createWebhookEndpoint)
    const { id: endpointId } = await apiKey.call(createWebhookEndpoint, { url: 'https://receiver.invalid/' })
    const provider = 'a-secret-of-the-mail-provider'
    await apiKey.call(updateEmailConfig, { emailServiceConfig: { type: 'sendgrid', apiKey: provider } })
    const key = apiKey.headers['x-service-api-key'] ?? ''
    const { authToken } = await workspace.call(createAuthToken, { apiKey: key, name: 'other', scopes: ['read'] })
    const secrets = {
      ours: apiKey.headers['x-service-auth-token'] ?? '',
      others: authToken.token,
      workspaces: workspace.headers['x-service-auth-token'] ?? '',
      webhooks: (await apiKey.call(getWebhookSecret, { endpointId })).secret,
      users: (await apiKey.call(generateToken, { userId: 'ada' })).token,
    }
    await apiKey.call(setProfiles, {
      users: [{ userId: 'ada', name: `Ada ${secrets.users}`.slice(0, 500), ...secrets }],
    })
    const cutInTwo = `${'x'.repeat(2_070)}${secrets.ours}`
    const documents = [
      { documentId: 'leak', documentName: `of ${secrets.ours}`, [`x${secrets.others} `]: 1, secrets, cutInTwo },
    ]
    await apiKey.call(addDocuments, { organizationId, documents })

    const assistant = await startAssistant(environmentOf(own.url, callers), ['--allow-changes'])
    const said: string[] = [assistant.client.getInstructions() ?? '']
    for (const [name, data] of Object.entries(CALLS)) said.push((await assistant.call(name, data)).text)
    said.push((await assistant.call('get', { kind: 'document', id: 'leak', organizationId })).text)
    const { operations } = (await assistant.call('describe_operation')).content
    for (const operation of OPERATIONS.filter(({ name }) => name in operations)) {
      const { name } = operation
      said.push((await assistant.call('describe_operation', { operation: name })).text)
      said.push((await assistant.call('read_operation', { operation: name, data: exampleOf(operation) })).text)
    }
    const all = said.join('\n') + assistant.log.text
    assert.match(all, /of \[secret hidden\]/)
    assert.match(all, /Ada \[secret hidden\]/)
    for (const [name, secret] of Object.entries({ ...secrets, provider }))
      assert.ok(!all.includes(secret.slice(0, 20)), name)
  })
})

describe('large results', () => {
  it('are as many documents as fit, and pages of a smaller size have them all', async () => {
    const { apiKey, environment } = await newWorld()
    for (let from = 0; from < 10_000; from += 1_000) {
      const documents = Array.from({ length: 1_000 }, (_, index) => ({ documentId: `d${from + index}` }))
      await apiKey.call(addDocuments, { organizationId, documents })
    }
    const { call } = await startAssistant(environment)
    const read = (data: object) =>
      call('read_operation', { operation: 'documents.get', data: { organizationId, ...data } })
    const whole = await read({ pageSize: 1_000 })
    assert.ok(whole.text.length < 25_000, String(whole.text.length))
    const [cut] = whole.content.cut
    assert.deepEqual([cut.of, cut.kept, cut.all], ['', whole.content.tenantData.length, 1_000])
    assert.equal(whole.content.nextPageToken, undefined)
    assert.match(whole.content.nextPage, /A smaller pageSize fits/)
    const seen = new Set<string>()
    let pageToken: string | undefined
    for (let page = 0; page < 3; page++) {
      const { content } = await read({ pageSize: 100, pageToken })
      assert.equal(content.cut, undefined)
      for (const { id } of content.tenantData) seen.add(id)
      pageToken = content.nextPageToken
    }
    assert.equal(seen.size, 300)
    const { content } = await call('what_can_user_access', { organizationId, userId: 'ada' })
    assert.equal(content.tenantData.resources.length, 50)
    assert.equal(typeof content.nextPageToken, 'string')
  })

  it('never exceed their bound, and are whole if they fit', () => {
    const value = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()))
    fc.assert(
      fc.property(value, fc.integer({ min: 2, max: 400 }), (given, charactersMax) => {
        const { value: fitted, cuts } = fitting(given, charactersMax)
        const [all, kept] = [JSON.stringify(given).length, JSON.stringify(fitted).length]
        assert.ok(kept <= charactersMax, `${kept} of ${charactersMax}`)
        if (all <= charactersMax) assert.deepEqual([fitted, cuts], [given, []])
        else assert.notDeepEqual(cuts, [])
      }),
      { numRuns: 2_000 },
    )
  })

  it('have long texts cut, and of a large record the small fields', async () => {
    const { apiKey, environment } = await newWorld()
    const list = Array.from({ length: 90 }, (_, index) => ({ index, text: 'x'.repeat(600) }))
    const long = '世'.repeat(2_500)
    const document = { documentId: 'large', list, long, plan: 'pro' }
    await apiKey.call(addDocuments, { organizationId, documents: [document] })
    const { call } = await startAssistant(environment)
    const { text, content } = await call('get', { kind: 'document', id: 'large', organizationId })
    assert.ok(text.length < 25_000)
    const [shown] = content.tenantData
    assert.deepEqual([shown.plan, shown.id], ['pro', 'large'])
    assert.ok(shown.long.endsWith('世… (2500 characters)'))
    assert.deepEqual(content.cut, [{ of: '[0].list', kept: shown.list.length, all: 90 }])
  })
})

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

  it('says which credentials or which scope is missing', async () => {
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

describe('the process', () => {
  it('speaks both revisions of the protocol', async () => {
    const { environment } = await newWorld()
    const { client, data } = await startAssistant(environment, [], '2026-07-28')
    assert.equal((await client.listTools()).tools.length, Object.keys(CALLS).length - 1)
    assert.equal((await data('who_has_access', { resource: acme })).everyone, false)
  })

  it('ends with its input, also while a call is under way, and with a signal', async () => {
    const { environment } = await newWorld()
    const hanging = await startReceiver(() => 'hang')
    const COMMONHOLD_URL = new URL('/', hanging.url).href
    const start = () => startCli(['mcp'], { ...environment, COMMONHOLD_URL })
    const idle = start()
    idle.child.stdin?.end()
    const { code, stdout, stderr } = await idle.ended
    assert.deepEqual([code, stdout, stderr], [0, '', ''])

    const busy = start()
    busy.child.stdin?.write(lines(INITIALIZE, { ...CALL, params: { name: 'search', arguments: CALLS.search } }))
    await hanging.until(1)
    const endedAt = Date.now()
    busy.child.stdin?.end()
    assert.equal((await busy.ended).code, 0)
    assert.ok(Date.now() - endedAt < 5_000)
    for (const line of busy.output.stdout.trimEnd().split('\n')) assert.equal(JSON.parse(line).jsonrpc, '2.0')

    const signalled = start()
    signalled.child.stdin?.write(lines(INITIALIZE))
    await signalled.until(/"protocolVersion"/)
    signalled.child.kill('SIGTERM')
    assert.equal((await signalled.ended).code, 0)
    hanging.close()
  })
})

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const CALL = { jsonrpc: '2.0', id: 2, method: 'tools/call' }
const lines = (...messages: object[]): string => messages.map((message) => `${JSON.stringify(message)}\n`).join('')
