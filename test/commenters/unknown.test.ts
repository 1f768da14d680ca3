/** For API keys without the role `commenter`, that name is an unknown value like any other (rules/access.md#commenters). */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { AUTHZEN_PATHS } from '#contract/access/authzen.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import type { SchemaNode } from '#contract/validation/schema.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { newCallers } from '../conformance/support/callers.ts'
import { refused } from '../conformance/support/refused.ts'

const server = await sharedServer()
let workspace: Client
let without: Client
let having: Client
beforeAll(async () => {
  const callers = await newCallers(server.url)
  workspace = callers.workspace
  without = callers.apiKey
  having = (await newCallers(server.url)).apiKey
  await having.call(updateKeyConfig, { accessRoles: ['viewer', 'commenter', 'editor'] })
})

/** Returns the paths in a call at which a role can be given, each as its names and indexes. */
function placesIn(node: SchemaNode, place: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (node.commenterOnly !== undefined) return [place]
  return [
    ...Object.entries(node.properties ?? {}).flatMap(([name, inner]) => placesIn(inner, [...place, name])),
    ...(node.items === undefined ? [] : placesIn(node.items, [...place, 0])),
  ]
}

/** Returns a copy of the data with a value at the path. */
function withValue(data: unknown, [first, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (first === undefined) return value
  if (typeof first === 'string')
    return { ...(data as object), [first]: withValue(Object(data)[first] ?? {}, rest, value) }
  const [item, ...others] = Array.isArray(data) ? data : []
  return [withValue(item ?? {}, rest, value), ...others]
}

const fieldOf = (place: readonly (string | number)[]): string =>
  place.reduce<string>(
    (field, part) => (typeof part === 'number' ? `${field}[${part}]` : field === '' ? part : `${field}.${part}`),
    '',
  )

const CALLS = OPERATIONS.flatMap(({ path, name, data, example }) =>
  placesIn(data as SchemaNode).map((place) => ({ path, name, place, example })),
)

/** Returns an error without the id of its request, with another word instead of the role. */
const comparable = (error: { requestId: string }): string =>
  JSON.stringify({ ...error, requestId: '' }).replaceAll('author', 'commenter')

describe('an API key without the role', () => {
  it('can be given the name of the role in many calls', () => assert.ok(CALLS.length >= 12))

  for (const { path, name, place, example } of CALLS) {
    const field = fieldOf(place)
    it(`refuses it in ${field} of ${name} as any unknown role`, async () => {
      const answers = await Promise.all(
        ['commenter', 'author'].map((word) => without.post(path, withValue(example, place, word))),
      )
      const [role, other] = answers.map((answer) => refused(answer, 'INVALID_ARGUMENT'))
      const fault = { field, message: `${field} must be one of "viewer", "editor"` }
      assert.ok(role.details.some((one: object) => JSON.stringify(one) === JSON.stringify(fault)))
      assert.equal(comparable(role), comparable(other))
    })

    it(`has it in ${field} of ${name} if the key has it`, async () => {
      const { body } = await having.post(path, withValue(example, place, 'commenter'))
      const faults = (body.error?.details ?? []) as { field?: string }[]
      assert.ok(!Array.isArray(faults) || !faults.some((fault) => fault.field === field), JSON.stringify(body))
      const unknown = refused(await having.post(path, withValue(example, place, 'author')), 'INVALID_ARGUMENT')
      const message = `${field} must be one of "viewer", "commenter", "editor"`
      assert.ok(unknown.details.some((one: object) => JSON.stringify(one) === JSON.stringify({ field, message })))
    })
  }

  it('refuses it as the default role, of a new key too', async () => {
    const message = 'defaultAccessRole must be one of "viewer", "editor"'
    const key = { ownerEmail: 'ada@example.com', type: 'testing', defaultAccessRole: 'commenter' }
    for (const answer of [
      await without.post(updateKeyConfig.path, { defaultAccessRole: 'commenter' }),
      await workspace.post(createApiKey.path, key),
    ]) {
      const error = refused(answer, 'INVALID_ARGUMENT')
      assert.deepEqual([error.message, error.reason], [message, 'invalid_argument'])
      assert.deepEqual(error.details, [{ field: 'defaultAccessRole', message }])
    }
  })

  it('takes the word as metadata, which a key with the role refuses', async () => {
    const document = { documentId: 'plan', userRole: 'commenter' }
    for (const key of [without, having])
      await key.call(addOrganizations, { organizations: [{ organizationId: 'metadata' }] })
    const data = { organizationId: 'metadata', documents: [document] }
    assert.equal((await without.post(addDocuments.path, data)).http, 200)
    const { message } = refused(await having.post(addDocuments.path, data), 'INVALID_ARGUMENT')
    assert.match(
      message,
      /^documents\[0\]\.userRole is refused: as metadata, "commenter" would have no effect on access/,
    )
  })

  it('does not know the action `comment` of AuthZEN', async () => {
    const evaluation = {
      subject: { type: 'user', id: 'ada' },
      action: { name: 'comment' },
      resource: { type: 'organization', id: 'unknown' },
    }
    const ask = (key: Client) => key.raw(AUTHZEN_PATHS.evaluation, JSON.stringify(evaluation))
    const { http, text } = await ask(without)
    assert.deepEqual([http, text], [400, 'action.name must be one of "view", "edit"'])
    assert.equal((await ask(having)).body.decision, false)
    const { body } = await without.raw(AUTHZEN_PATHS.evaluations, JSON.stringify({ evaluations: [evaluation] }))
    assert.equal(body.evaluations[0].context.error.message, 'action.name must be one of "view", "edit"')
  })
})
