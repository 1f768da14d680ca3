/** The example of each operation in the reference succeeds if everything that it names exists; the test also repeats each example. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { AUTHZEN_PATHS, EVALUATION_EXAMPLE, EVALUATIONS_EXAMPLE } from '#contract/access/authzen.ts'
import { checkPermissions } from '#contract/access/decisions.ts'
import { writes } from '#contract/core/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { OPERATION_REASONS } from '#contract/reasons/reasons.ts'
import type { Db } from '#platform/db/db.ts'
import type { Answer } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { startNameServer } from '#testing/stand-ins/name-server.ts'
import { apiKeyOf, callersFrom } from './support/callers.ts'
import { type ExampleWorld, exampleWorld, newExampleWorld } from './support/example-world.ts'
import { withFixedValues } from './support/fixed-values.ts'
import { refused } from './support/refused.ts'
import { fingerprintOfCalls } from './support/tables.ts'

const post = await startMailServer()
const dns = await startNameServer()
const server = await startServer({ SMTP_URL: post.url, MAIL_FROM: 'mail@example.com', DNS_SERVERS: dns.address })

/** Operations whose second call also changes something, with the reason. */
const NOT_IDEMPOTENT: Record<string, string> = {
  'workspaces.create': 'an e-mail address can own several workspaces',
  'workspace-tokens.create': 'each call creates a token; names need not differ',
  'operators.invite': 'each call creates a link',
  'api-keys.create': 'each call creates a key',
  'auth-tokens.reset': 'each call creates a new secret and revokes the previous one',
  'auth-tokens.create': 'each call creates a token; names need not differ',
  'invitations.add': 'each call renews the invitation, and the mail is sent again',
  'user-tokens.generate': 'each call signs a token and writes an event',
  'user-tokens.revoke': 'each call revokes the earlier tokens',
  'signing-keys.rotate': 'each call creates a key pair',
  'user-data.delete': 'each call starts a job, because users may have been added again',
  'user-access.revoke': 'each call starts a job, because access may have been given again',
  'webhook-endpoints.create': 'each call creates an endpoint',
  'webhook-secrets.rotate': 'each call creates a secret',
  'webhook-messages.resend': 'each call sends a message and writes an event',
  'webhook-messages.test': 'the same',
  'threads.read': 'each call is a later look, which may have seen a change of a comment',
  'migrations.migrate': 'each call starts a job; the second one fails because of the first',
}

/** Operations that refuse a repeat, because the first call deleted or answered what they name. */
const REFUSED_AGAIN: Record<string, string> = {
  'api-keys.delete': 'api_key_does_not_exist',
  'operators.remove': 'operator_does_not_exist',
  'folders.delete': 'folder_does_not_exist',
  'threads.add': 'thread_exists',
  'comments.add': 'comment_exists',
  'comments.delete': 'thread_does_not_exist',
  'invitations.respond': 'invitation_not_pending',
  'workspace-tokens.reset': 'workspace_token_replaced',
  'webhook-endpoints.delete': 'webhook_endpoint_does_not_exist',
}

/** Waits until no job is under way, and returns a fingerprint of each table that only calls write. */
async function everything(db: Db): Promise<Record<string, string>> {
  while (await isWorking(db)) await sleep(20)
  return fingerprintOfCalls(db)
}

async function isWorking(db: Db): Promise<boolean> {
  const { rows } = await db.query(
    `select from document_migrations where finished_at is null
      union all select from user_data_deletions where finished_at is null
      union all select from user_access_revocations where finished_at is null`,
  )
  return rows.length > 0
}

/** The responses to the examples, by operation: the OpenAPI document shows them. */
const responses: Record<string, unknown> = {}

for (const operation of OPERATIONS)
  describe(`the example of ${operation.name}`, () => {
    let world: ExampleWorld
    let answer: Answer
    beforeAll(async () => {
      world = await exampleWorld(server.client, operation)
      answer = await world.post(operation)
      responses[operation.name] = withFixedValues(answer.body)
    })

    it('succeeds, with every item', () => {
      assert.equal(answer.http, 200, answer.text)
      assert.doesNotMatch(answer.text, /"retryable":/) // every failed item has this field
    })

    if (!writes(operation)) return
    const why = NOT_IDEMPOTENT[operation.name]
    it(
      why === undefined
        ? 'leaves nothing behind when it is repeated'
        : `leaves traces again when it is repeated: ${why}`,
      async () => {
        const once = await everything(server.db)
        const again = await world.post(operation)
        const reason = REFUSED_AGAIN[operation.name]
        if (reason === undefined) assert.equal(again.http, 200, again.text)
        else assert.equal(refused(again, OPERATION_REASONS[reason]?.statuses[0] ?? 'NOT_FOUND').reason, reason)
        const twice = await everything(server.db)
        if (why === undefined) assert.deepEqual(twice, once)
        else assert.notDeepEqual(twice, once)
      },
    )
  })

describe('the responses to the examples', () => {
  it('are those that the OpenAPI document shows; to accept a change: npx vitest examples -u', async () => {
    const { callers } = await newExampleWorld(server.client, checkPermissions)
    const { headers } = callers.apiKey
    const others: [name: string, path: string, body?: object][] = [
      ['authzen.evaluation', AUTHZEN_PATHS.evaluation, EVALUATION_EXAMPLE],
      ['authzen.evaluations', AUTHZEN_PATHS.evaluations, EVALUATIONS_EXAMPLE],
      ['authzen.configuration', AUTHZEN_PATHS.configuration],
      ['signing-keys.jwks', `/v2/auth/jwks/${apiKeyOf(callers.apiKey)}`],
    ]
    for (const [name, path, body] of others) {
      const sent = body && { method: 'POST', body: JSON.stringify(body) }
      const response = await fetch(server.url + path, {
        ...sent,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      })
      responses[name] = withFixedValues(await response.json())
    }
    await expect(`${JSON.stringify(responses, null, 2)}\n`).toMatchFileSnapshot('../../contract/responses.json')
  })
})

describe('all examples', () => {
  it('conform to the contract when they run sequentially and repeatedly on one data set', async () => {
    const callers = await callersFrom(server.client)
    for (const { credentials, path, example, name } of [...OPERATIONS, ...OPERATIONS]) {
      const answer = await callers[credentials].post(path, example)
      assert.ok(answer.http < 500, `${name}: ${answer.text}`)
    }
  })
})
