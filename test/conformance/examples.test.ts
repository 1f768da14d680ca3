/** The example of each operation, as the reference shows it, is accepted, or refused only for the state it finds. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { Compile } from 'typebox/compile'
import { OPERATIONS } from '#contract/operations.ts'
import type { Status } from '#contract/status.ts'
import { startServer } from '../support/server.ts'
import { type Callers, newCallers } from './support/callers.ts'
import { refused } from './support/refused.ts'

const server = await startServer()
let callers: Callers
before(async () => {
  callers = await newCallers(server.url)
})

/** Why an example fails on an empty data set: it names an API key, an organization or a job of its own. */
const REFUSED: Record<string, Status> = {
  'api-keys.update': 'NOT_FOUND',
  'api-keys.disable': 'NOT_FOUND',
  'api-keys.enable': 'NOT_FOUND',
  'api-keys.delete': 'NOT_FOUND',
  'auth-tokens.get': 'NOT_FOUND',
  'auth-tokens.reset': 'NOT_FOUND',
  'auth-tokens.create': 'NOT_FOUND',
  'auth-tokens.revoke': 'NOT_FOUND',
  'folders.add': 'NOT_FOUND',
  'folders.get': 'NOT_FOUND',
  'folders.update': 'NOT_FOUND',
  'folder-access.set': 'NOT_FOUND',
  'folders.delete': 'NOT_FOUND',
  'documents.add': 'NOT_FOUND',
  'documents.get': 'NOT_FOUND',
  'documents.count': 'NOT_FOUND',
  'documents.update': 'NOT_FOUND',
  'documents.move': 'NOT_FOUND',
  'document-access.set': 'NOT_FOUND',
  'documents.disable': 'NOT_FOUND',
  'documents.delete': 'NOT_FOUND',
  'migrations.migrate': 'NOT_FOUND',
  'migrations.get': 'NOT_FOUND',
  'users.get': 'NOT_FOUND',
  'users.count': 'NOT_FOUND',
  'migrations.list': 'NOT_FOUND',
  'user-data.get': 'NOT_FOUND',
  'user-data-deletions.get': 'NOT_FOUND',
  'users.update': 'NOT_FOUND',
  'users.delete': 'NOT_FOUND',
  'user-groups.add': 'NOT_FOUND',
  'user-groups.get': 'NOT_FOUND',
  'user-groups.update': 'NOT_FOUND',
  'user-groups.delete': 'NOT_FOUND',
  'user-group-users.add': 'NOT_FOUND',
  'user-group-users.delete': 'NOT_FOUND',
  'permissions.get': 'NOT_FOUND',
}

describe('the example', () => {
  for (const operation of OPERATIONS)
    it(`of ${operation.name} is answered as the contract says`, async () => {
      const fresh = await newCallers(server.url)
      const answer = await fresh[operation.credentials].post(operation.path, operation.example)
      const status = REFUSED[operation.name]
      if (status !== undefined) {
        const { reason } = refused(answer, status)
        assert.ok(operation.reasons?.includes(reason), `${reason} is not among the reasons of ${operation.name}`)
        return
      }
      assert.equal(answer.http, 200, answer.text)
      const { result } = answer.body
      assert.deepEqual([result.status, result.message], ['success', operation.success])
      assert.equal('data' in result, operation.result !== undefined)
      assert.ok(
        Object.keys(result).every((name) => ['status', 'message', 'data', 'nextPageToken', 'pageToken'].includes(name)),
      )
    })

  it('of all operations, again and again on one data set, gives answers of the shape that the contract has', async () => {
    for (const operation of [...OPERATIONS, ...OPERATIONS]) {
      const answer = await callers[operation.credentials].post(operation.path, operation.example)
      assert.ok(answer.http < 500, `${operation.name}: ${answer.text}`)
      if (answer.http !== 200 || operation.result === undefined) continue
      assert.deepEqual(Compile(operation.result).Errors(answer.body.result.data), [], operation.name)
    }
  })
})
