/** Which metadata looks like protection (rules/contract.md#metadata-that-looks-like-protection). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { ACCESS_ADVICE, accessFaults } from './access-words.ts'

const known = new Set(['documentId', 'type'])
const faultsIn = (object: Record<string, unknown>) =>
  accessFaults(object, known, 'documents[0]', ACCESS_ADVICE.document)
const fieldsIn = (object: Record<string, unknown>) => faultsIn(object).map(({ field }) => field)

describe('metadata looks like protection', () => {
  const names = [
    ...[
      'access',
      'Access',
      'accessType',
      'access_type',
      'access-level',
      'ACCESS_MODE',
      'documentAccess',
      'defaultAccess',
    ],
    ...[
      'visibility',
      'visibility_type',
      'organisationVisibility',
      'share',
      'shared',
      'sharing',
      'sharingStatus',
      'linkSharing',
    ],
    ...[
      'role',
      'roles',
      'userRole',
      'user_role',
      'permission',
      'permissions',
      'permissionLevel',
      'privacy',
      'privacySettings',
    ],
    ...['acl', 'protection', 'security', 'securityLevel', 'privileges', 'accessRights', 'accessControl'],
  ]
  for (const name of names)
    it(`as ${name}, with any of the words`, () => {
      for (const word of ['viewer', 'editor', 'public', 'organizationPrivate', 'restricted'])
        for (const spelt of [word, word.toUpperCase(), word.replace(/P/, '_p'), ` ${word} `])
          assert.deepEqual(fieldsIn({ [name]: spelt }), [`documents[0].${name}`])
    })

  it('as a field of an object under the name metadata', () => {
    assert.deepEqual(fieldsIn({ metadata: { accessType: 'restricted', color: 'red' } }), [
      'documents[0].metadata.accessType',
    ])
  })

  it('with what to do instead', () => {
    const [type, role] = faultsIn({ access: 'restricted', role: 'viewer' })
    assert.equal(
      type?.message,
      'documents[0].access is refused: as metadata, "restricted" would have no effect on access; call organizations/documents/access/update with accessType',
    )
    assert.match(
      role?.message ?? '',
      /"viewer" would have no effect on access; .*auth\/permissions\/add with accessRole$/,
    )
  })

  it('a hundred times at most', () => {
    const words = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`access${'.'.repeat(index)}`, 'public']),
    )
    assert.equal(fieldsIn({ metadata: words }).length, 100)
  })
})

describe('metadata does not look like protection', () => {
  const others: Record<string, unknown>[] = [
    {
      access: 'granted',
      visibility: 'team',
      sharing: 'internal',
      role: 'author',
      permissions: 'none',
      privacy: 'private',
    },
    { access: true, role: 7, visibility: null, sharing: ['public'], permission: { level: 'viewer' } },
    { status: 'public', type: 'restricted', scope: 'public', audience: 'public', classification: 'restricted' },
    { jobRole: 'editor', title: 'Editor', accessibility: 'public', rolename: 'public viewer', shares: 12 },
    { settings: { visibility: 'public' }, metadata: ['restricted'], metadata2: { access: 'restricted' } },
    { access: 'restricted'.padEnd(100_000, '_') },
  ]
  for (const object of others)
    it(`as ${JSON.stringify(object).slice(0, 100)}`, () => assert.deepEqual(faultsIn(object), []))

  it('in fields of the API’s own', () => {
    assert.deepEqual(
      accessFaults({ accessType: 'restricted' }, new Set(['accessType']), 'x', ACCESS_ADVICE.document),
      [],
    )
  })
})
