/** Shell completion suggests ids from the server, and stays silent if it cannot query the server. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { updateApiKey } from '#contract/keys/api-keys.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { addUsers } from '#contract/users/users.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { cli, type Environment, environmentOf } from '#testing/processes/cli.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf, callersFrom } from '../conformance/support/callers.ts'

const server = await sharedServer()
const key = await server.newKey()
await key.call(addOrganizations, {
  organizations: [{ organizationId: 'acme', organizationName: 'Acme\nInc.' }, { organizationId: 'two words; rm -r' }],
})
await key.call(addFolders, { organizationId: 'acme', folders: [{ folderId: 'plans', folderName: 'Plans' }] })
await key.call(addDocuments, { organizationId: 'acme', documents: [{ documentId: 'roadmap' }] })
await key.call(addUsers, { organizationId: 'acme', users: [{ userId: 'ada', name: 'Ada Lovelace' }] })
await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
const endpoint = await key.call(createWebhookEndpoint, { url: 'https://example.com/hook?a=b' })
const environment = environmentOf(server.url, { apiKey: key })

/** Returns the lines that are suggested for the last word. */
async function suggested(words: readonly string[], env: Environment = environment): Promise<string[]> {
  const { code, stdout, stderr } = await cli(['complete', '--', ...words], env)
  assert.deepEqual([code, stderr], [0, ''])
  return stdout.trimEnd().split('\n').slice(0, -1)
}

describe('completion of ids', () => {
  const cases: [line: string, expected: string[]][] = [
    ['org get ', ['acme\tAcme\\u000aInc.']],
    ['org get b', []],
    ['doc list --org ', ['acme\tAcme\\u000aInc.']],
    ['doc get --org acme ', ['roadmap\t']],
    ['folder get --org acme p', ['plans\tPlans']],
    ['user update --org acme ', ['ada\tAda Lovelace']],
    ['webhooks update ', [`${endpoint.id}\thttps://example.com/hook?a=b`]],
    ['webhooks attempts ep_', [`${endpoint.id}\thttps://example.com/hook?a=b`]],
    ['grant add ada --org acme ', ['organization:acme\t', 'folder:plans\tPlans', 'document:roadmap\t']],
    ['grant add ada folder:plans --org acme document:r', ['document:roadmap\t']],
  ]
  for (const [line, expected] of cases)
    it(`of "commonhold ${line}" suggests ${expected.length === 0 ? 'nothing' : expected.map((one) => one.split('\t')[0]).join(', ')}`, async () => {
      assert.deepEqual(await suggested(line.split(' ')), expected)
    })

  it('of API keys is one line each, whatever their names', async () => {
    const { apiKey, workspace } = await callersFrom(server.client)
    await workspace.call(updateApiKey, { apiKey: apiKeyOf(apiKey), apiKeyName: 'Mine\nrm\u001b[2J\t-rf' })
    const lines = await suggested(['token', 'list', ''], environmentOf(server.url, { workspace }))
    assert.equal(lines.length, 2)
    assert.ok(lines.includes(`${apiKeyOf(apiKey)}\tMine\\u000arm\\u001b[2J\\u0009-rf`), lines.join('\n'))
  })

  it('suggests nothing, and reports nothing, without credentials or a server', async () => {
    assert.deepEqual(await suggested(['org', 'get', ''], {}), [])
    assert.deepEqual(await suggested(['org', 'get', ''], { ...environment, COMMONHOLD_URL: 'http://127.0.0.1:1' }), [])
    assert.deepEqual(await suggested(['doc', 'get', '']), [])
  })
})

describe('options for connection and output', () => {
  it('are taken before the command, between its words and after it', async () => {
    const { COMMONHOLD_URL = '', ...credentials } = environment
    const url = ['--url', COMMONHOLD_URL]
    const lines = [
      [...url, '--json', 'org', 'list'],
      ['org', ...url, '--json', 'list'],
      ['org', 'list', ...url, '--json'],
    ]
    for (const line of lines) {
      const { code, stdout } = await cli(line, credentials)
      assert.equal(code, 0)
      assert.match(stdout, /^\{"id":"acme",/)
    }
  })

  it('are refused by a command that has no use for them', async () => {
    for (const line of [
      ['serve', '--json'],
      ['--json', 'serve'],
      ['profile', 'use', 'x', '--url', 'http://127.0.0.1'],
    ]) {
      const { code, stderr } = await cli(line)
      assert.equal(code, 2)
      assert.match(stderr, /[Uu]nknown option '--(json|url)'\./)
    }
  })
})
