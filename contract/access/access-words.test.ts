/** Which metadata looks like protection (rules/contract.md#metadata-that-looks-like-protection). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { ACCESS_ADVICE, accessFaults, PROTECTING_NAMES } from './access-words.ts'

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

  it('in names that spell no protecting field, nor in any name of an object under the name metadata', () => {
    for (const name of ['expiry', 'access', 'enabled', 'disabledReason', 'accessCount', 'id', 'userId', 'createdAt'])
      assert.deepEqual(faultsIn({ [name]: 1 }), [])
    assert.deepEqual(faultsIn({ metadata: { expiresAt: 1, disabled: true, accessRole: 'owner' } }), [])
    assert.deepEqual(faultsIn({ permissions: ['read'], permission: { level: 1 }, access: { resources: [] } }), [])
  })
})

describe('a name is refused', () => {
  it('that is the name of a protecting field, or nearly', () => {
    for (const name of PROTECTING_NAMES)
      for (const spelt of [
        ...[name, name.toUpperCase(), name.toLowerCase(), `_${name}`, `${name.slice(0, 3)}${name.slice(4)}`],
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      ])
        for (const value of [1, null, false, {}, [], 'x'])
          assert.deepEqual(fieldsIn({ [spelt]: value }), [`documents[0].${spelt}`])
  })

  it('with the field that it may mean, or what to do instead', () => {
    const messages = (
      name: string,
      advice: typeof ACCESS_ADVICE.organization | typeof ACCESS_ADVICE.user,
      own = known,
    ) => accessFaults({ [name]: 1 }, own, 'x', advice).map(({ message }) => message)
    assert.deepEqual(messages('accesRole', ACCESS_ADVICE.user, new Set(['accessRole'])), [
      'x.accesRole is not a known field; did you mean "accessRole"?',
    ])
    assert.deepEqual(messages('expiresat', ACCESS_ADVICE.user), [
      'x.expiresat is refused: it resembles "expiresAt", and as metadata it would have no effect on access; to give a role for a time, call auth/permissions/add with expiresAt',
    ])
    assert.deepEqual(messages('disabled', ACCESS_ADVICE.organization), [
      'x.disabled is refused: as metadata it would have no effect on access; call organizations/access/disablestate/update with disabled',
    ])
  })

  it('that is, or nearly, resources under permissions', () => {
    for (const [outer, inner] of [
      ['permissions', 'resources'],
      ['permission', 'Resource'],
    ] as const)
      assert.deepEqual(faultsIn({ [outer]: { [inner]: [] } }), [
        {
          field: `documents[0].${outer}.${inner}`,
          message: `documents[0].${outer}.${inner} is refused: as metadata it would give no access; to give roles, call auth/permissions/add`,
        },
      ])
  })
})
