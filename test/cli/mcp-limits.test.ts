/** `commonhold mcp` never shows secrets, bounds its results, and starts and ends as documented. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { createAuthToken } from '#contract/keys/auth-tokens.ts'
import { updateEmailConfig } from '#contract/keys/service-configs.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { runSearch } from '#contract/resources/search.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { getWebhookSecret } from '#contract/webhooks/secrets.ts'
import { createClient } from '#testing/client.ts'
import { environmentOf, newHome, profilesIn, startCli } from '#testing/processes/cli.ts'
import { startServer } from '#testing/server.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'
import { fitting } from '../../cli/mcp/fitting.ts'
import { readableText } from '../../cli/mcp/readable.ts'
import { ROOT } from '../../scripts/root.ts'
import { signInCommandLineAs } from '../conformance/support/console-session.ts'
import { newExampleWorld, webhookOf } from '../conformance/support/example-world.ts'
import { startAssistant } from './support/mcp.ts'
import { acme, CALLS, newWorld, organizationId, server } from './support/mcp-world.ts'

describe('secrets', () => {
  it('are in no result and not in the log, wherever somebody has stored them', async () => {
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
      commandLines: (await signInCommandLineAs(workspace, 'owner')).session,
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

it('every invisible character is made visible in a result, except those that words and emoji need', () => {
  const kept = new Set(['\t', '\n', ...'\u200c\u200d\ufe0e\ufe0f\u180b\u180c\u180d\u180f'])
  const hidden: string[] = []
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code)
    const isInvisible = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\u2028\u2029\ufff9-\ufffb]/u.test(
      character,
    )
    if (isInvisible && !kept.has(character) && readableText(character) === character) hidden.push(code.toString(16))
  }
  assert.deepEqual(hidden, [])
  assert.equal(readableText('می\u200cخواهم 👩\u200d🚀 ❤\ufe0f'), 'می\u200cخواهم 👩\u200d🚀 ❤\ufe0f')
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

  it('have their long texts cut, and keep the small fields of a large record', async () => {
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

describe('the process', () => {
  it('starts with the configurations of the guide', async () => {
    const { environment } = await newWorld()
    const profile = {
      url: server.url,
      apiKey: environment.COMMONHOLD_API_KEY,
      authToken: environment.COMMONHOLD_AUTH_TOKEN,
    }
    const profiles = profilesIn(newHome(), { profiles: { assistant: profile } })
    const page = readFileSync(path.join(ROOT, 'docs/guides/use-with-an-assistant.md'), 'utf8')
    const configurations = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text = '']) => JSON.parse(text))
    assert.equal(configurations.length, 2)
    for (const { mcpServers, servers = mcpServers } of configurations) {
      const { command, args } = servers.commonhold
      const [subcommand, ...options] = args
      assert.deepEqual([command, subcommand], ['commonhold', 'mcp'])
      assert.deepEqual(await (await startAssistant(profiles, options)).data('search', CALLS.search), [
        { kind: 'organization', id: organizationId },
      ])
    }
  })

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
    // A call under way would last an hour.
    const start = () => startCli(['mcp', '--timeout', '3600'], { ...environment, COMMONHOLD_URL })
    const idle = start()
    idle.child.stdin?.end()
    const { code, stdout, stderr } = await idle.ended
    assert.deepEqual([code, stdout, stderr], [0, '', ''])

    const busy = start()
    busy.child.stdin?.write(lines(INITIALIZE, { ...CALL, params: { name: 'search', arguments: CALLS.search } }))
    await hanging.until(1)
    busy.child.stdin?.end()
    assert.equal((await busy.ended).code, 0)
    for (const line of busy.output.stdout.trimEnd().split('\n')) assert.equal(JSON.parse(line).jsonrpc, '2.0')

    const signalled = start()
    signalled.child.stdin?.write(Buffer.from('{"id":"caf\u00e9"}\n', 'latin1'))
    assert.match(
      String(await signalled.until(/.*not UTF-8.*/)),
      /"code":-32700,"message":"the line is not UTF-8: its byte 11 is 0xe9/,
    )
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
