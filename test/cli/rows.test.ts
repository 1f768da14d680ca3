/** Rows of lists: what is a row, and what is the outcome of an id that was not found. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { testWebhook } from '#contract/webhooks/messages.ts'
import { until } from '#testing/eventually.ts'
import { sharedServer } from '#testing/server.ts'
import type { OperationCommand } from '../../cli/operation-command.ts'
import { OPERATION_COMMANDS } from '../../cli/program.ts'
import { linesOf, newWorld } from './support/cli-world.ts'

const server = await sharedServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })

type Schema = { type?: string; anyOf?: Schema[]; properties?: Record<string, Schema>; patternProperties?: object }
const hasRows = ({ type, anyOf, patternProperties }: Schema = {}): boolean =>
  type === 'array' || patternProperties !== undefined || anyOf?.every(hasRows) === true

const outputOf = ({ show }: OperationCommand) => (typeof show === 'function' ? show({}) : show)

describe('the rows of a list', () => {
  for (const spec of OPERATION_COMMANDS) {
    const output = outputOf(spec)
    if (output.as !== 'table') continue
    it(`are where ${spec.name} looks for them`, () => {
      const result = spec.operation.result as Schema
      const { rowsIn = '', isRow = false } = output
      assert.equal(hasRows(rowsIn === '' ? result : result.properties?.[rowsIn]), !isRow)
    })
  }

  it('have the data of a user with their names, one for each page', async () => {
    const { ok } = await newWorld(server.url)
    await ok('org', 'add', 'acme')
    await ok('user', 'add', 'ada', '--org', 'acme', '--name', 'Ada', '--role', 'viewer')
    const pages = linesOf(await ok('user', 'data', 'ada', '--json')).filter(({ warnings }) => warnings === undefined)
    assert.ok(pages.every(({ profile }) => profile.name === 'Ada'))
    const [inAcme, ...others] = pages.filter(({ organizationId }) => organizationId === 'acme')
    assert.deepEqual([inAcme.grants.length, others], [1, []])
    const [headings = '', row = '', ...more] = (await ok('user', 'data', 'ada', '--org', 'acme')).trimEnd().split('\n')
    assert.deepEqual(more, [])
    assert.match(headings, /^ORGANIZATION {2}PROFILE +GRANTS/)
    assert.match(row, /^acme +\{"name":"Ada"\} +1 /)
  })

  it('include attempts that failed', async () => {
    const { callers, ok } = await newWorld(server.url)
    await callers.apiKey.call(updateAdvancedWebhookConfig, { isEnabled: true })
    const endpoint = await callers.apiKey.call(createWebhookEndpoint, { url: 'http://127.0.0.1:9/' })
    await callers.apiKey.call(testWebhook, { endpointId: endpoint.id })
    const attempts = () => ok('webhooks', 'attempts', endpoint.id, '--outcome', 'failed')
    await until('the attempt', async () => / webhook\.test /.test(await attempts()))
    assert.match(await attempts(), /^WHEN +MESSAGE +TYPE .*\n(?:.*\n)*.* webhook\.test +1 +ECONNREFUSED/)
    const [attempt] = linesOf(await ok('webhooks', 'attempts', endpoint.id, '--json'))
    assert.equal(attempt.success, false)
  })

  it('include resources and users with a field `success`, and no id that is unknown', async () => {
    const { ok, run } = await newWorld(server.url)
    await ok('org', 'add', 'acme')
    await ok(
      'call',
      'documents.add',
      '{"organizationId": "acme", "documents": [{"documentId": "trial", "success": false}]}',
    )
    await ok('call', 'users.add', '{"organizationId": "acme", "users": [{"userId": "ada", "success": false}]}')
    assert.match(await ok('doc', 'list', '--org', 'acme'), /^trial /m)
    assert.match(await ok('user', 'list', '--org', 'acme'), /^ada /m)
    assert.match(await ok('user', 'profiles'), /^ada$/m)
    const { code, stderr } = await run('doc', 'get', 'trail', '--org', 'acme')
    assert.equal(code, 5)
    assert.match(stderr, /^✗ trail {2}/)
  })
})
