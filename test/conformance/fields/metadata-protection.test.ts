/**
 * No operation stores metadata that looks like protection, whatever `STRICT_FIELDS` says
 * (rules/contract.md#metadata-that-looks-like-protection).
 */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import { startServer } from '#testing/server.ts'
import { type Callers, callersFrom } from '../support/callers.ts'
import { refusedField } from '../support/refused.ts'
import { exampleWith, placesOf, written } from '../support/schema-walk.ts'
import { rowCounts } from '../support/tables.ts'

/** The operations that write an organization, folder, document or user, and its path in their data. */
const CASES = OPERATIONS.flatMap((operation) =>
  placesOf(operation).flatMap(({ path, schema }) => (schema.accessAdvice ? [{ operation, path, schema }] : [])),
)

it('Every operation that adds or changes an object of the caller is one of them', () => {
  assert.deepEqual(
    CASES.map(({ operation }) => operation.name),
    [
      ...['organizations.add', 'organizations.update', 'folders.add', 'folders.update', 'documents.add'],
      ...['documents.update', 'users.add', 'users.update', 'profiles.set', 'invitations.add', 'invitations.respond'],
      'user-tokens.generate',
    ],
  )
})

for (const strict of [true, false])
  describe(`with STRICT_FIELDS=${strict}`, async () => {
    const server = await startServer({ STRICT_FIELDS: String(strict) })
    let callers: Callers
    beforeAll(async () => {
      callers = await callersFrom(server.client)
    })

    for (const { operation, path, schema } of CASES)
      describe(operation.name, () => {
        const { accessRole, accessType } = schema.accessAdvice as Record<string, string>
        const post = (data: unknown) => callers[operation.credentials].post(operation.path, data)
        const known = Object.keys(schema.properties ?? {})

        it('refuses roles and access types under names that suggest access, and says what to do', async () => {
          const rows = await rowCounts(server.db)
          for (const [word, advice] of Object.entries({
            viewer: accessRole,
            editor: accessRole,
            public: accessType,
            organizationPrivate: accessType,
            restricted: accessType,
          }))
            for (const name of [
              'access',
              'Visibility',
              'sharing_mode',
              'role',
              'permissions',
              'accessType',
              'accessRole',
            ]) {
              if (known.includes(name)) continue
              const at = [...path, name]
              const message = `${written(at)} is refused: as metadata, "${word}" would have no effect on access; ${advice}`
              refusedField(await post(exampleWith(operation, at, word)), written(at), message)
            }
          const inner = [...path, 'metadata']
          refusedField(await post(exampleWith(operation, inner, { access: 'public' })), `${written(inner)}.access`)
          assert.deepEqual(await rowCounts(server.db), rows)
        })

        it('responds to objects under the name metadata that are nested very deep', async () => {
          const levels = 20_000
          const body = JSON.stringify({ data: exampleWith(operation, [...path, 'metadata'], 'deep') })
          const deep = body.replace('"deep"', `${'{"metadata":'.repeat(levels)}1${'}'.repeat(levels)}`)
          const { http, text } = await callers[operation.credentials].raw(operation.path, deep)
          assert.ok([200, 400, 404].includes(http), text)
        })

        it('does not refuse other values, nor other names', async () => {
          if (!schema.metadata) return
          for (const [name, value] of Object.entries({ access: 'granted', visibility: true, status: 'public' })) {
            const { http, text, body } = await post(exampleWith(operation, [...path, name], value))
            assert.ok([200, 404].includes(http) || body.error?.reason === 'invitation_not_pending', text)
          }
        })
      })
  })
