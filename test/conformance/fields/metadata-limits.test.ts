/**
 * Changes of organizations, documents and profiles keep the limits of metadata exactly: what one call may store, a
 * change may merge, and no more, so that every record can be written back (rules/contract.md#merging).
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { LIMITS } from '#contract/core/limits.ts'
import { addDocuments, getDocuments, updateDocuments } from '#contract/resources/documents.ts'
import { addOrganizations, getOrganizations, updateOrganizations } from '#contract/resources/organizations.ts'
import { listProfiles, setProfiles } from '#contract/users/profiles.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers } from '#contract/users/users.ts'
import type { Client } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'

const server = await startServer()

const organizationId = 'acme'
const organization = (fields: object) => ({ organizations: [{ organizationId, organizationName: 'Acme', ...fields }] })
const document = (fields: object) => ({
  organizationId,
  documents: [{ documentId: 'd', documentName: 'D', ...fields }],
})
/** Has fields of a profile, which are not metadata. */
const user = (fields: object) => ({ userId: 'ada', name: 'Ada', email: 'ada@example.com', color: '#fff', ...fields })

type Change = [path: string, data: (fields: object) => object]

/** The first call adds the object; each of the others also changes it. */
const CASES: Record<string, { add: Change; changes: Change[]; own: string[]; read(key: Client): Promise<object> }> = {
  organizations: {
    add: [addOrganizations.path, organization],
    changes: [
      [addOrganizations.path, organization],
      [updateOrganizations.path, organization],
    ],
    own: ['id', 'organizationName', 'disabled'],
    read: async (key) => (await key.call(getOrganizations, {}))[0] ?? {},
  },
  documents: {
    add: [addDocuments.path, (fields) => ({ ...document(fields), createOrganization: true })],
    changes: [[updateDocuments.path, document]],
    own: ['id', 'documentName', 'disabled', 'accessType', 'inheritAccessFromParent'],
    read: async (key) => (await key.call(getDocuments, { organizationId }))[0] ?? {},
  },
  profiles: {
    add: [addUsers.path, (fields) => ({ organizationId, createOrganization: true, users: [user(fields)] })],
    changes: [
      [addUsers.path, (fields) => ({ organizationId, users: [user(fields)] })],
      [setProfiles.path, (fields) => ({ users: [user(fields)] })],
      [generateToken.path, (fields) => ({ userId: 'ada', userProperties: { name: 'Ada L.', ...fields } })],
    ],
    own: ['userId', 'name', 'email', 'color', 'initial'],
    read: async (key) => (await key.call(listProfiles, {})).profiles[0] ?? {},
  },
}

const fields = (count: number, name: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, 1]))

/** Metadata of exactly this number of bytes as JSON, nearly all of them in `{"list":[1,1,…],"rest":"xx"}`. */
function ofBytes(bytes: number): { list: number[]; rest: string } {
  const list = Array.from({ length: 30_000 }, () => 1)
  const rest = 'x'.repeat(bytes - JSON.stringify({ list, rest: '' }).length)
  return { list, rest }
}

for (const [name, { add, changes, own, read }] of Object.entries(CASES))
  describe(name, () => {
    /** Whether every item of the call succeeded. */
    const succeeds = async (key: Client, [path, data]: Change, given: object): Promise<boolean> => {
      const { http, body } = await key.post(path, data(given))
      return http === 200 && !JSON.stringify(body.result.data ?? {}).includes('"success":false')
    }
    const metadata = async (key: Client) =>
      Object.fromEntries(Object.entries(await read(key)).filter(([field]) => !own.includes(field)))

    for (const change of changes) {
      it(`${change[0]} merges up to ${LIMITS.metadataKeysMax} fields, and not one more`, async () => {
        const key = await server.newKey()
        assert.equal(await succeeds(key, add, fields(99, 'a')), true)
        assert.equal(await succeeds(key, change, fields(2, 'b')), false)
        assert.deepEqual(await metadata(key), fields(99, 'a'))
        assert.equal(await succeeds(key, change, { b0: 1 }), true)
        assert.deepEqual(await metadata(key), { ...fields(99, 'a'), b0: 1 })
        assert.equal(await succeeds(key, change, { c: 1 }), false)
        assert.equal(await succeeds(key, change, fields(99, 'a')), true)
      })

      it(`${change[0]} merges up to ${LIMITS.metadataBytesMax} bytes of JSON, however PostgreSQL writes them`, async () => {
        const key = await server.newKey()
        const full = ofBytes(LIMITS.metadataBytesMax)
        assert.equal(await succeeds(key, add, full), true, 'as much as one call may store')
        assert.equal(await succeeds(key, change, {}), true, 'no metadata')
        assert.equal(await succeeds(key, change, full), true, 'the same metadata')
        assert.equal(await succeeds(key, change, { rest: full.rest.replace('x', 'y') }), true, 'other text')
        assert.equal(await succeeds(key, change, { rest: `${full.rest}x` }), false, 'one byte more')
        assert.equal(await succeeds(key, change, { more: 1 }), false, 'one field more')
        assert.deepEqual(await metadata(key), { ...full, rest: full.rest.replace('x', 'y') })
      })
    }
  })
