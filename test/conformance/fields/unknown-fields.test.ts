/** Which fields `STRICT_FIELDS=false` ignores, which it names, and which it refuses like the default (rules/contract.md#unknown-fields). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import { updateEmailConfig, updateWebhookConfig } from '#contract/keys/service-configs.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { addDocuments, getDocuments } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { deleteUserData } from '#contract/users/user-data.ts'
import { addUsers, deleteUsers, getUsers } from '#contract/users/users.ts'
import type { SchemaNode } from '#contract/validation/schema.ts'
import { createLog } from '#platform/log.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { createInProcessClient } from '#testing/client.ts'
import { createStore, MASTER_KEY, sharedServer } from '#testing/server.ts'
import { buildApp } from '../../../server/app.ts'
import { readConfig } from '../../../server/config.ts'
import { callerOf, callersFrom } from '../support/callers.ts'
import { refused, refusedField } from '../support/refused.ts'
import { bodiesWith, exampleWith, exampleWithAll, placesOf, written } from '../support/schema-walk.ts'

const lax = await sharedServer({ STRICT_FIELDS: 'false' })
const strict = await sharedServer()
/** The fields of all refused calls. */
const refusedCallers = await callersFrom(lax.client)
const schemaTakesAnything = ({ additionalProperties }: SchemaNode): boolean => additionalProperties !== false
const ignoredOf = ({ headers }: { headers: Headers }) => headers.get('x-service-ignored-fields')

for (const operation of OPERATIONS)
  describe(operation.name, () => {
    const places = placesOf(operation)
    const closed = places.filter(
      ({ schema }) => schema.properties !== undefined && schema.additionalProperties === false,
    )
    const isItem = (path: readonly (string | number)[]) => path.some((part) => typeof part === 'number')

    const { narrowing = [], readFilters = [], properties = {}, minProperties } = operation.data as SchemaNode

    it.concurrent('ignores unknown fields of the request, also beside data and in the address, and names them', async () => {
      const caller = await callerOf(lax.client, operation)
      const data = exampleWith(operation, ['zzzzzz'], 1)
      const answer = await caller.raw(`${operation.path}?xxxxxx=1`, JSON.stringify({ data, yyyyyy: { a: 1 } }))
      assert.equal(ignoredOf(answer), 'yyyyyy, xxxxxx, zzzzzz', answer.text)
      assert.doesNotMatch(answer.text, /zzzzzz/)
    })

    if (narrowing.length > 0 && minProperties === undefined)
      it.concurrent('refuses a field that may stand for one that would limit what it does', async () => {
        const { [operation.credentials]: caller } = refusedCallers
        const { example } = operation as { example: Record<string, unknown> }
        const bare = Object.fromEntries(Object.entries(example).filter(([name]) => !narrowing.includes(name)))
        const parts = narrowing.flatMap((name) => name.split(/(?=[A-Z])/))
        const names = parts.map((part) => `zzz${part[0]?.toUpperCase()}${part.slice(1)}`)
        for (const [nth, name] of [...new Set(names)].entries())
          refusedField(await caller.post(operation.path, { ...bare, [name]: [1, null, ['x']][nth % 3] }), name)
        // In any case, shortened, in an object of options, beside data, and in the address.
        const others = [
          ...narrowing.flatMap((name) => [name.toUpperCase(), `${name.toLowerCase()}_`]),
          ...parts.map((part) => part.toLowerCase()).filter((part) => part.length > 3),
          ...['only', 'filters'],
        ].filter((name) => !Object.hasOwn((operation.data as SchemaNode).properties ?? {}, name))
        const values = Object.fromEntries(others.map((name, nth) => [name, [null, 1, { a: 1 }][nth % 3]]))
        const answer = await caller.post(operation.path, { ...bare, ...values, zzzzzz: [{ yyyyyy: values }] })
        for (const name of [...others, 'zzzzzz']) refusedField(answer, name)
        const beside = await caller.raw(operation.path, JSON.stringify({ data: bare, [narrowing[0] as string]: null }))
        refusedField(beside, narrowing[0] as string)
        const asked = await caller.raw(`${operation.path}?${narrowing[0]}=true`, JSON.stringify({ data: bare }))
        refusedField(asked, narrowing[0] as string, /must not be in the query of the address/)
      })

    if (narrowing.some((name) => name.endsWith('Ids')) && minProperties === undefined)
      it.concurrent('refuses ids under no name, also beside another field that limits what it does', async () => {
        const { [operation.credentials]: caller } = refusedCallers
        const { example } = operation as { example: Record<string, unknown> }
        const without = Object.entries(example).filter(([name]) => !(narrowing.includes(name) && name.endsWith('Ids')))
        const bare = { ...Object.fromEntries(without), ids: ['x'], id: 'x' }
        const answer = await caller.post(operation.path, bare)
        for (const name of ['ids', 'id']) refusedField(answer, name)
      })

    const others = readFilters.filter((name) => !Object.hasOwn(properties, name))
    if (others.length > 0)
      it.concurrent('refuses filters of the read of the same things that it does not have', async () => {
        const { [operation.credentials]: caller } = refusedCallers
        const names = [...others, ...others.map((name) => `${name}_`)]
        const answer = await caller.post(
          operation.path,
          exampleWithAll(
            operation,
            names.map((name) => ({ path: [name], value: ['x'] })),
          ),
        )
        for (const name of names) refusedField(answer, name)
      })

    it.concurrent('refuses a field that says who may see something, and that it does not have', async () => {
      const { [operation.credentials]: caller } = refusedCallers
      const names = ['visibility', 'visibilty', 'visibilityConfig', 'isPrivate'].filter(
        (name) => !Object.hasOwn(properties, name),
      )
      if (schemaTakesAnything(operation.data as SchemaNode)) return
      const answer = await caller.post(
        operation.path,
        exampleWithAll(
          operation,
          names.map((name) => ({ path: [name], value: { type: 'restricted' } })),
        ),
      )
      for (const name of names) refusedField(answer, name)
    })

    it.concurrent('refuses a preview that it does not have', async () => {
      if ('dryRun' in ((operation.data as SchemaNode).properties ?? {})) return
      const { [operation.credentials]: caller } = refusedCallers
      for (const name of ['dryRun', 'dry_run', 'DRYRUN', 'preview', 'validateOnly'])
        refusedField(await caller.post(operation.path, exampleWith(operation, [name], true)), name)
    })

    it.concurrent('refuses unknown fields of items, because no header could name them', async () => {
      const { [operation.credentials]: caller } = refusedCallers
      const items = closed.filter(({ path }) => isItem(path)).map(({ path }) => [...path, 'zzzzzz'])
      for (const { data, faults } of bodiesWith(
        operation,
        items.map((path) => ({ path, field: written(path), value: 1 })),
      )) {
        const answer = await caller.post(operation.path, data)
        for (const { field } of faults) refusedField(answer, field)
      }
    })

    it.concurrent('refuses a field that may be a misspelt missing or protecting field', async () => {
      const { [operation.credentials]: caller } = refusedCallers
      for (const { path, schema } of closed) {
        if (path.length > 0 && !isItem(path)) continue
        const names = new Set([...Object.keys(schema.properties ?? {}), 'expiresAt', 'accessRole', 'disabled'])
        const misspelt = [...names].map((name) => [...path, `${name}_`])
        const data = exampleWithAll(operation, [
          ...[...names].map((name) => ({ path: [...path, name], value: undefined })),
          ...misspelt.map((path) => ({ path, value: 1 })),
        ])
        const answer = await caller.post(operation.path, data)
        for (const path of misspelt) refusedField(answer, written(path))
      }
    })
  })

describe('a misspelt field', () => {
  it('does not widen the effect of a call', async () => {
    const key = await lax.newKey()
    const organizationId = 'acme'
    await key.call(addUsers, { organizationId, users: [{ userId: 'ada' }] })
    const deletion = { organizationId, userIds: ['ada'], documentID: 'd' }
    refusedField(await key.post(deleteUsers.path, deletion), 'documentID', /did you mean "documentId"/)
    refusedField(
      await key.post(addUsers.path, { organizationId, users: [{ userId: 'bob' }], expiresAt: 1 }),
      'expiresAt',
    )
    const resource = { type: 'organization', id: organizationId, accesRole: 'viewer', expiresat: 2_000_000_000 }
    const grant = { user: { userId: 'eve' }, permissions: { resources: [resource] } }
    refusedField(await key.post(addPermissions.path, grant), 'permissions.resources[0].accesRole')
    assert.deepEqual((await key.call(getUsers, { organizationId })) as unknown, [
      { userId: 'ada', accessRole: 'editor' },
    ])
  })

  it('of the role or the end of what a call gives does not widen it, also in an object of options or one level up', async () => {
    const key = await lax.newKey()
    const resource = { type: 'organization', id: 'acme' }
    for (const unknown of [
      { role: 'viewer' },
      { access_level: 'VIEWER' },
      { expiry: 2_000_000_000 },
      { ttl: 60 },
      { validUntil: '2030-01-01' },
      { options: { accessRole: 'viewer' } },
      { settings: [{ expiresAt: 1 }] },
    ]) {
      const [name] = Object.keys(unknown) as [string]
      const permissions = { resources: [resource] }
      const grant = { user: { userId: 'eve' }, permissions }
      refusedField(await key.post(addPermissions.path, { ...grant, ...unknown }), name)
      const nested = { ...grant, permissions: { ...permissions, ...unknown } }
      refusedField(await key.post(addPermissions.path, nested), `permissions.${name}`)
      refusedField(await key.raw(addPermissions.path, JSON.stringify({ data: grant, ...unknown })), name)
    }
    for (const name of ['temporaryOnly', 'onlytemporary']) {
      const removal = { userId: 'eve', permissions: { resources: [resource] } }
      refusedField(await key.post(removePermissions.path, { ...removal, [name]: true }), name)
    }
  })

  it('is ignored if the field itself is present, or if its value is empty', async () => {
    const key = await lax.newKey()
    const answer = await key.post(getUsers.path, { organizationId: 'acme', organisationId: 'b', user_ids: null })
    assert.equal(answer.http, 404)
    assert.equal(ignoredOf(answer), 'organisationId, user_ids')
  })
})

describe('the query of an address', () => {
  it('is refused in strict mode, because a field there would have no effect', async () => {
    const key = await strict.newKey()
    for (const query of ['dryRun=true', 'zzzzzz', 'userIds=a&userIds=b'])
      refusedField(
        await key.post(`${addUsers.path}?${query}`, { organizationId: 'acme', users: [{ userId: 'ada' }] }),
        query.split(/[=&]/)[0] as string,
        /must not be in the query of the address/,
      )
    assert.equal((await key.post(`${getKeyConfig.path}?`, {})).http, 200)
  })
})

describe('a name that an object has twice', () => {
  it('is refused in both modes, in small and large bodies, because only one of its values would count', async () => {
    const filler = JSON.stringify('x'.repeat(70_000))
    const bodies = [
      '{"data": {"userIds": ["ada"], "organizationIds": ["acme"], "organizationIds" : []}}',
      '{"data": {"userIds": ["ada"], "organizationIds": ["acme"]}, "data": {"userIds": ["ada"]}}',
      '{"data": {"userIds": ["ada"], "organizationIds": ["acme"], "organ\\u0069zationIds": ["b"]}}',
    ]
    for (const server of [strict, lax]) {
      const key = await server.newKey()
      for (const body of bodies)
        for (const text of [body, body.replace('{"userIds"', `{"note": ${filler}, "userIds"`)]) {
          const { message } = refused(await key.raw(deleteUserData.path, text), 'INVALID_ARGUMENT')
          assert.match(
            message,
            /^The body is ambiguous: it has the name "(organizationIds|data)" twice in one object\.$/,
          )
        }
      const quoted = { organizations: [{ organizationId: 'acme', note: '{"a":1,"a":2}', a: { b: 1 }, c: { b: 1 } }] }
      assert.equal((await key.post(addOrganizations.path, quoted)).http, 200)
    }
  })
})

describe('the header', () => {
  it('is absent in responses without ignored fields, and in strict mode', async () => {
    assert.equal(ignoredOf(await (await lax.newKey()).post(getKeyConfig.path, {})), null)
    assert.equal(ignoredOf(await (await strict.newKey()).post(getKeyConfig.path, { zzzzzz: 1 })), null)
  })

  it('holds any names, and any number of them', async () => {
    const key = await lax.newKey()
    const odd = { 'a\r\nset-cookie: x': 1, 'é, ü': 2, '': 3, ['x'.repeat(5_000)]: 4, '\ud800': 5, constructor: 6 }
    const one = await key.post(getKeyConfig.path, odd)
    assert.equal(
      ignoredOf(one),
      `a%0D%0Aset-cookie%3A%20x, %C3%A9%2C%20%C3%BC, , ${'x'.repeat(100)}, %EF%BF%BD, constructor`,
    )
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`f${index}`, index]))
    const answer = await key.post(getKeyConfig.path, many)
    assert.equal(answer.http, 200)
    assert.match(ignoredOf(answer) ?? '', /^f0, f1, .*, f19, and 99980 more$/)
  })

  it('has the prefix of the installation', async () => {
    const server = await sharedServer({ STRICT_FIELDS: 'false', HEADER_PREFIX: 'acme' })
    const { apiKey } = await callersFrom(server.client, 'acme')
    const { headers } = await apiKey.post(getKeyConfig.path, { zzzzzz: 1 })
    assert.equal(headers.get('x-acme-ignored-fields'), 'zzzzzz')
  })
})

describe('the log', () => {
  it('names ignored fields once a minute for each key', async () => {
    const lines: string[] = []
    const { db, remove } = await createStore()
    const app = await buildApp({
      config: readConfig({ SIGNUP: 'open', RATE_LIMIT_PUBLIC: '0', STRICT_FIELDS: 'false' }),
      masterKey: MASTER_KEY,
      db,
      log: createLog('warn', { write: (line) => lines.push(line) }),
    })
    cleanUp(async () => {
      await app.stop()
      await db.close()
      await remove()
    })
    const client = createInProcessClient(app.http)
    for (const key of [await client.newKey(), await client.newKey()])
      for (const name of ['first', 'second']) await key.post(getKeyConfig.path, { [name]: 1 })
    assert.equal(lines.length, 2)
    for (const line of lines) assert.equal(JSON.parse(line).ignoredFields, 'first')
  })
})

describe('a field of a feature that is not offered', () => {
  const places = OPERATIONS.flatMap((operation) =>
    placesOf(operation).flatMap(({ path, schema }) =>
      (schema.unimplemented ?? []).map((name) => ({ operation, field: [...path, name] })),
    ),
  )

  for (const { operation, field } of places)
    it(`${written(field)} of ${operation.name} may say that the feature is off; on, it is refused or ignored`, async () => {
      for (const server of [strict, lax]) {
        const caller = await callerOf(server.client, operation)
        for (const off of [false, null, '', [], {}]) {
          const answer = await caller.post(operation.path, exampleWith(operation, field, off))
          const plain = await caller.post(operation.path, operation.example)
          assert.deepEqual([answer.http, ignoredOf(answer)], [plain.http, null], answer.text)
        }
      }
      const refusing = await callerOf(strict.client, operation)
      const ignoring = await callerOf(lax.client, operation)
      for (const on of [true, 'eu', 1, [1], { a: 1 }]) {
        const data = exampleWith(operation, field, on)
        assert.equal(
          refused(await refusing.post(operation.path, data), 'UNIMPLEMENTED').details[0].field,
          written(field),
        )
        assert.equal(ignoredOf(await ignoring.post(operation.path, data)), written(field))
      }
    })
})

describe('a call that needs a field', () => {
  it('is judged by the sent fields, before any is ignored', async () => {
    for (const { path } of [updateKeyConfig, updateEmailConfig, updateWebhookConfig]) {
      const key = await lax.newKey()
      const before = await key.call(getKeyConfig, {})
      assert.equal((await key.post(path, { zzzzzz: 1 })).http, 200)
      refusedField(await key.post(path, {}), 'data', 'data must have at least one field')
      assert.deepEqual(await key.call(getKeyConfig, {}), before)
    }
    const answer = await (await strict.newKey()).post(updateKeyConfig.path, { aiModelApiKey: [] })
    assert.equal(answer.http, 200, answer.text)
  })
})

describe('an item', () => {
  it('is the same in both modes', async () => {
    for (const server of [strict, lax]) {
      const key = await server.newKey()
      const documents = [{ documentId: 'd', createdBy: 'kim', role: 'author' }]
      const answer = await key.post(addDocuments.path, { organizationId: 'acme', createOrganization: true, documents })
      assert.deepEqual([answer.http, ignoredOf(answer)], [200, null])
      const [stored] = await key.call(getDocuments, { organizationId: 'acme' })
      assert.deepEqual(
        { ...stored },
        {
          ...{ createdBy: 'kim', role: 'author', id: 'd', disabled: false },
          ...{ accessType: 'public', inheritAccessFromParent: true },
        },
      )
    }
  })
})

describe('the parent of a folder that a call creates', () => {
  it('is refused where it has no effect, also in lax mode: at the top, the folder would not inherit what protects it', async () => {
    const { apiKey } = await callersFrom(lax.client)
    const data = { organizationId: 'acme', createOrganization: true, folderId: 'new', createFolder: true }
    const documents = [{ documentId: 'd' }]
    const answer = await apiKey.post(addDocuments.path, { ...data, parentFolderId: 'secret', documents })
    refusedField(answer, 'parentFolderId')
  })
})
