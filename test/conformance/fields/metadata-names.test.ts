/** The server stores and returns every name of clients' own fields, whatever `STRICT_FIELDS` says (rules/contract.md#metadata). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import { getDocuments } from '#contract/resources/documents.ts'
import { getInvitations } from '#contract/resources/invitations.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { listProfiles } from '#contract/users/profiles.ts'
import type { Client } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { newExampleWorld } from '../support/example-world.ts'
import { exampleWith, placesOf } from '../support/schema-walk.ts'

/** It stores a user only if the call has a user token: server/features/invitations/invitations.test.ts. */
const NEEDS_A_TOKEN = 'invitations.respond'

/** The operations that write an open object, and its path in their data. */
const CASES = OPERATIONS.filter(({ name }) => name !== NEEDS_A_TOKEN).flatMap((operation) =>
  placesOf(operation).flatMap(({ path, schema }) => (schema.metadata ? [{ operation, path, schema }] : [])),
)

const by = { userId: 'kim', name: 'Kim' }

/** Names that clients' objects are known to have, including names that are fields of other objects of the API. */
const OWN: Record<string, unknown> = {
  ...{ createdBy: by, createdOn: '2026-01-01', createdAt: 1, lastUpdated: 2, lastUpdatedBy: 'kim', updatedAt: 3 },
  ...{ organization: { id: 'acme' }, document: 'd', resource: { type: 'document' }, resourceId: 'r', resources: [1] },
  ...{ permissions: ['read'], role: 'author', roles: [], access: 'granted', initials: 'AL', emails: ['a@b.c'] },
  ...{ color: '#fff', textColor: '#000', plan: 'pro', type: 'page', status: 'draft', email: 'x@example.com' },
  ...{
    userId: 'kim',
    organizationId: 'acme',
    documentId: 'roadmap',
    parentFolderId: 'plans',
    apiKey: 'k',
    authToken: 't',
  },
  ...{ migratedTo: 'm', replaceExisting: true, temporaryOnly: true, inheritFromParent: true, organisationName: 'A' },
  ...{ document_name: 'n', constructor: 'c', toString: 's', hasOwnProperty: false, success: true, code: 'x' },
  ...{
    metadata: { id: 1, expiresAt: 2 },
    'a.b': 1,
    "it's": 1,
    '': 'empty',
    ['long'.repeat(50)]: 1,
    état: [null, { a: 1 }],
  },
}

async function readBack({ name }: { name: string }, client: Client): Promise<Record<string, unknown> | undefined> {
  if (name.startsWith('organizations.')) return (await client.call(getOrganizations, { organizationIds: ['acme'] }))[0]
  if (name.startsWith('documents.'))
    return (await client.call(getDocuments, { organizationId: 'acme', documentIds: ['roadmap'] }))[0]
  if (name.startsWith('invitations.'))
    return (await client.call(getInvitations, { organizationId: 'acme' }))[0]?.invitedBy as
      | Record<string, unknown>
      | undefined
  return (await client.call(listProfiles, {})).profiles.find(({ userId }) => userId === 'ada')
}

for (const strict of [true, false])
  describe(`with STRICT_FIELDS=${strict}`, async () => {
    const server = await startServer({ STRICT_FIELDS: String(strict) })

    for (const { operation, path, schema } of CASES)
      it(`${operation.name} stores and returns them`, async () => {
        const { callers, post } = await newExampleWorld(server.client, operation)
        const notOwn = [...Object.keys(schema.properties ?? {}), ...(schema.recordFields ?? [])]
        const own = Object.fromEntries(Object.entries(OWN).filter(([name]) => !notOwn.includes(name)))
        const data = Object.entries(own).reduce(
          (example, [name, value]) => exampleWith({ ...operation, example: example as object }, [...path, name], value),
          operation.example as unknown,
        )
        const answer = await post(operation, data)
        assert.equal(answer.http, 200, answer.text)
        const stored = (await readBack(operation, callers.apiKey)) ?? {}
        for (const [name, value] of Object.entries(own)) assert.deepEqual(stored[name], value, name)
      })
  })
