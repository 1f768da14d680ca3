/** User tokens, the grants added with them, and the keys that verify them (rules/access.md#sign-in-grants, rules/keys.md#user-tokens). */
import assert from 'node:assert/strict'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeEach, describe, it } from 'vitest'
import { getPermissions } from '#contract/access/decisions.ts'
import { listGrants } from '#contract/access/grants.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { generateToken, verifyToken } from '#contract/users/user-tokens.ts'
import { type Client, createClient } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await startServer()
const organizationId = 'acme'
let key: Client
beforeEach(async () => {
  key = await server.newKey()
})
afterAll(() => server.clock.set(null))

const jwksUrl = (client: Client = key, url = server.url) => new URL(`${url}/v2/auth/jwks/${apiKeyOf(client)}`)
const signIn = (data: object = {}) => key.post(generateToken.path, { userId: 'ada', ...data })
const signInFor = (...resources: object[]) => signIn({ permissions: { resources } })
const document = (more: object = {}) => ({ type: 'document', id: 'd', organizationId, ...more })
const grant = (...resources: object[]) =>
  key.post(addPermissions.path, { user: { userId: 'ada' }, permissions: { resources } })
const entry = async () => {
  const { body } = await key.post(getPermissions.path, { organizationId, userIds: ['ada'], documentIds: ['d'] })
  const { accessRole, expiresAt, reason } = body.result.data.ada.documents.d
  return { accessRole, expiresAt, reason }
}
const eventsWhile = (work: () => Promise<unknown>) => eventsDuring(server.db, apiKeyOf(key), work)

describe('user-tokens.generate', () => {
  describe('the token', () => {
    it('verifies against the keys of the API key and identifies the user', async () => {
      const before = Math.floor(Date.now() / 1000)
      const userProperties = { name: 'Ada', email: 'ada@example.com', isAdmin: true, team: 'x' }
      const { token } = await key.call(generateToken, { userId: 'ada', userProperties })
      const { payload, protectedHeader } = await jwtVerify(token, createRemoteJWKSet(jwksUrl()), {
        issuer: server.url,
        audience: apiKeyOf(key),
        algorithms: ['ES256'],
      })
      const { iat = 0, exp = 0, jti, since_ms, ...claims } = payload
      assert.ok(Number.isInteger(since_ms))
      assert.deepEqual(claims, {
        iss: server.url,
        sub: 'ada',
        aud: apiKeyOf(key),
        name: 'Ada',
        email: 'ada@example.com',
        isAdmin: true,
      })
      assert.equal(exp - iat, 48 * 60 * 60)
      assert.ok(iat >= before && iat <= Date.now() / 1000)
      assert.match(jti ?? '', /^[0-9a-f-]{36}$/)
      assert.equal(protectedHeader.typ, 'JWT')
    })

    it('has a unique id, and isAdmin: false by default', async () => {
      const tokens = await Promise.all([signIn(), signIn()])
      const keys = createRemoteJWKSet(jwksUrl())
      const [one, two] = await Promise.all(tokens.map(({ body }) => jwtVerify(body.result.data.token, keys)))
      assert.notEqual(one?.payload.jti, two?.payload.jti)
      assert.equal(one?.payload.isAdmin, false)
      assert.ok(!('name' in (one?.payload ?? {})))
    })

    it('is valid for the longest id, name and address, of characters of any length', async () => {
      const userProperties = { name: '🔑'.repeat(500), email: `${'🔑'.repeat(242)}@example.com` }
      for (const character of ['a', 'ж', '漢', '🔑', '"']) {
        const userId = character.repeat(256)
        const { token } = await key.call(generateToken, { userId, userProperties })
        const { active, reason, ...verified } = await key.call(verifyToken, { token })
        assert.deepEqual({ active, reason, userId: verified.userId }, { active: true, reason: undefined, userId })
      }
    })

    it('contains no permissions, however many are added with it', async () => {
      const resources = Array.from({ length: 100 }, (_, index) => document({ id: `d${index}` }))
      const { token } = (await signInFor(...resources)).body.result.data
      assert.ok(token.length < 1_000)
    })

    it('has PUBLIC_URL as issuer', async () => {
      const { url } = await startServer({ PUBLIC_URL: 'https://api.example.com' })
      const there = await createClient(url).newKey()
      const { token } = await there.call(generateToken, { userId: 'ada' })
      const { payload } = await jwtVerify(token, createRemoteJWKSet(jwksUrl(there, url)))
      assert.equal(payload.iss, 'https://api.example.com')
    })

    it('does not verify with the keys of another API key', async () => {
      const other = await server.newKey()
      const { token } = await key.call(generateToken, { userId: 'ada' })
      await assert.rejects(jwtVerify(token, createRemoteJWKSet(jwksUrl(other))), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
    })
  })

  describe('the profile', () => {
    it('is stored and merged, with metadata', async () => {
      await signIn({ userProperties: { name: 'Ada', email: 'ada@example.com', team: 'x' } })
      await signIn({ userProperties: { name: 'Ada L.' } })
      await signIn()
      const { rows } = await server.db.query('select profile from users where api_key_id = $1', [apiKeyOf(key)])
      assert.deepEqual(rows, [{ profile: { name: 'Ada L.', email: 'ada@example.com', team: 'x' } }])
    })

    it('refuses metadata that looks like protection, and names that the record uses', async () => {
      for (const name of ['accessRole', 'expiresAt', 'access_type', 'userId'])
        refusedField(await signIn({ userProperties: { [name]: 1 } }), `userProperties.${name}`)
      const permissions = { resources: [document({ accessRole: 'viewer' })] }
      refusedField(await signIn({ userProperties: { permissions } }), 'userProperties.permissions.resources')
    })
  })

  describe('the grants', () => {
    it('have one on the organization of the user, which is not part of the profile', async () => {
      const userProperties = { name: 'Ada', organizationId: 'own' }
      assert.equal((await signIn({ userProperties })).http, 200)
      const { grants } = await key.call(listGrants, { organizationId: 'own' })
      assert.deepEqual(grants, [{ userId: 'ada', type: 'organization', id: 'own', accessRole: 'editor' }])
      const { rows } = await server.db.query('select profile from users where api_key_id = $1', [apiKeyOf(key)])
      assert.deepEqual(rows, [{ profile: { name: 'Ada' } }])
    })

    it('on that organization come only from permissions.resources if these name it', async () => {
      const resource = { type: 'organization', id: 'own', accessRole: 'viewer', expiresAt: 2_000_000_000 }
      await signIn({ userProperties: { organizationId: 'own' }, permissions: { resources: [resource] } })
      const { grants } = await key.call(listGrants, { organizationId: 'own' })
      assert.deepEqual(grants, [{ userId: 'ada', ...resource }])
    })

    it('are editor if new, and keep the role of a live grant if none is given', async () => {
      await signInFor(document())
      assert.deepEqual(await entry(), { accessRole: 'editor', expiresAt: undefined, reason: 'grant' })
      await signInFor(document({ accessRole: 'viewer' }))
      await signInFor(document())
      assert.equal((await entry()).accessRole, 'viewer')
    })

    it('with an expiry are added to a standing grant, which applies again afterwards', async () => {
      await grant(document({ accessRole: 'viewer' }))
      await signInFor(document({ accessRole: 'editor', expiresAt: 2_000_000_000 }))
      assert.deepEqual(await entry(), { accessRole: 'editor', expiresAt: 2_000_000_000, reason: 'grant' })
      server.clock.set(new Date(2_000_000_000_000))
      assert.deepEqual(await entry(), { accessRole: 'viewer', expiresAt: undefined, reason: 'grant' })
      server.clock.set(null)
    })

    it('keep the role of the grant that they replace, separately for each kind', async () => {
      const until = { expiresAt: 2_000_000_000 }
      await grant(document(), document({ accessRole: 'viewer', ...until }))
      await signInFor(document({ expiresAt: 2_000_000_001 }), document())
      const { grants } = await key.call(listGrants, { organizationId })
      assert.deepEqual(
        grants.map(({ accessRole, expiresAt }) => [accessRole, expiresAt]),
        [
          ['editor', undefined],
          ['viewer', 2_000_000_001],
        ],
      )
    })

    it('apply in the order of the call', async () => {
      const until = { expiresAt: 2_000_000_000 }
      await grant(document({ accessRole: 'viewer' }))
      await signInFor(document({ ...until, replaceExisting: true }), document({ expiresAt: 2_000_000_001 }))
      const held = async () => {
        const { grants } = await key.call(listGrants, { organizationId })
        return grants.map(({ accessRole, expiresAt }) => [accessRole, expiresAt])
      }
      assert.deepEqual(await held(), [['viewer', 2_000_000_001]])
      await signInFor(document(), document({ ...until, replaceExisting: true }), document({ accessRole: 'viewer' }))
      assert.deepEqual(await held(), [
        ['viewer', undefined],
        ['viewer', until.expiresAt],
      ])
    })

    it('replace a temporary grant, and ignore an expired one', async () => {
      server.clock.set(new Date(1_000_000))
      await grant(document({ accessRole: 'viewer', expiresAt: 2_000 }))
      await signInFor(document({ expiresAt: 3_000 }))
      assert.deepEqual(await entry(), { accessRole: 'viewer', expiresAt: 3_000, reason: 'grant' })
      server.clock.set(new Date(3_000_000))
      await signInFor(document({ expiresAt: 4_000 }))
      assert.deepEqual(await entry(), { accessRole: 'editor', expiresAt: 4_000, reason: 'grant' })
      server.clock.set(null)
    })

    it('are all or nothing with the profile and the token', async () => {
      key = await server.client.newKey({ requireKnownResources: true })
      const resources = [{ type: 'organization', id: organizationId }, document()]
      await key.call(addOrganizations, { organizations: [{ organizationId }] })
      const call = () => signIn({ userProperties: { name: 'Ada' }, permissions: { resources } })
      assert.deepEqual(await eventsWhile(call), [])
      assert.equal(refused(await call(), 'INVALID_ARGUMENT').reason, 'resource_does_not_exist')
      const { rows } = await server.db.query('select from users where api_key_id = $1', [apiKeyOf(key)])
      assert.deepEqual(rows, [])
    })

    it('require the organizationId of folders and documents', async () => {
      refusedField(await signInFor({ type: 'document', id: 'd' }), 'permissions.resources[0].organizationId')
    })
  })

  it('writes events of the user, the grants and the token, and only of the token at the next sign-in', async () => {
    await key.call(addOrganizations, { organizations: [{ organizationId }] })
    const call = () => signIn({ userProperties: { name: 'Ada' }, permissions: { resources: [document()] } })
    const types = async () => (await eventsWhile(call)).map(({ type }) => type).sort()
    assert.deepEqual(await types(), ['permission.added', 'user.added', 'user_token.generated'])
    const [event, ...more] = await eventsWhile(call)
    assert.equal(more.length, 0)
    assert.deepEqual([event?.type, event?.userId, Object.keys(event?.after)], ['user_token.generated', 'ada', ['jti']])
  })
})
