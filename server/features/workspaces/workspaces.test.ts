/** Creating workspaces as far as the operator allows it, and reading them (rules/keys.md#sign-up). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { createWorkspace, getWorkspace } from '#contract/workspace/workspaces.ts'
import { createClient } from '#testing/client.ts'
import { ENGINE, sharedServer, startServer } from '#testing/server.ts'
import { newCallers } from '../../../test/conformance/support/callers.ts'
import { eventsOfWorkspace } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
const signUp = (url: string, headers: Record<string, string> = {}) =>
  createClient(url, headers).post(createWorkspace.path, { ownerEmail: 'ada@example.com' })

describe('workspaces.create', () => {
  describe('success', () => {
    it('returns the workspace with its token and one testing key', async () => {
      const avatar = 'https://example.com/ada.png'
      const workspace = await server.client.call(createWorkspace, {
        ownerEmail: 'ada@example.com',
        name: 'Ada',
        workspaceName: 'Engines',
        avatar,
      })
      assert.match(workspace.id, /^[0-9a-f]{32}$/)
      assert.equal(workspace.name, 'Engines')
      assert.match(workspace.owner.id, /^[0-9a-f]{32}$/)
      assert.deepEqual({ ...workspace.owner, id: '' }, { email: 'ada@example.com', id: '', name: 'Ada', avatar })
      assert.match(workspace.authToken, /^chw_[0-9A-Za-z]{33}$/)
      const [[id, key] = [], ...others] = Object.entries(workspace.apiKeyList)
      assert.equal(others.length, 0)
      assert.match(id ?? '', /^chk_test_[0-9A-Za-z]{33}$/)
      assert.deepEqual(key, { id, apiKeyName: 'Ada Test API Key', type: 'testing', disabled: false })
    })

    it('names the workspace after its owner or the e-mail by default', async () => {
      const named = await server.client.call(createWorkspace, { ownerEmail: 'bob@example.com', name: 'Bob' })
      assert.equal(named.name, 'Bob workspace')
      const bare = await server.client.call(createWorkspace, { ownerEmail: 'bob@example.com' })
      assert.equal(bare.name, 'bob@example.com workspace')
      assert.equal(bare.owner.name, 'bob@example.com')
      assert.equal(bare.owner.avatar, '')
      assert.equal(bare.owner.id, named.owner.id)
    })

    it('accepts expiresInMs, which has no effect', async () => {
      const expiring = { ownerEmail: 'expiring@example.com', expiresInMs: 0 }
      const { id, authToken } = await server.client.call(createWorkspace, expiring)
      const owner = server.client.with({ 'x-service-workspace-id': id, 'x-service-auth-token': authToken })
      assert.equal((await owner.call(getWorkspace, {})).id, id)
    })

    it('writes the events of the workspace, its key and its token, without any secret', async () => {
      const { id } = await server.client.call(createWorkspace, { ownerEmail: 'eve@example.com', name: 'Eve' })
      const events = await eventsOfWorkspace(server.db, id)
      assert.deepEqual(
        events.map(({ type }) => type),
        ['workspace.created', 'api_key.created', 'auth_token.created'],
      )
      assert.deepEqual(events[0]?.after, { name: 'Eve workspace', ownerEmail: 'eve@example.com' })
      assert.deepEqual(events[0]?.actor, { address: '127.0.0.1' })
      assert.equal(events[1]?.after.type, 'testing')
    })
  })

  describe('INVALID_ARGUMENT', () => {
    it('refuses disposable e-mail if signup is open', async () => {
      for (const ownerEmail of ['x@mailinator.com', 'X@MAILINATOR.COM', 'x@guerrillamail.com']) {
        const answer = await server.client.post(createWorkspace.path, { ownerEmail })
        refusedField(answer, 'ownerEmail', /disposable/)
        assert.equal(answer.body.error.reason, 'email_domain_refused')
      }
    })

    it('refuses invalid e-mail addresses', async () => {
      for (const ownerEmail of ['ada', 'ada@', '@example.com', 'ada@ex ample.com', 'a@b\n.c', 'a@b@c.d'])
        refusedField(
          await server.client.post(createWorkspace.path, { ownerEmail }),
          'ownerEmail',
          'ownerEmail must be an e-mail address',
        )
    })
  })

  describe('RESOURCE_EXHAUSTED', () => {
    it('allows five workspaces for one e-mail address, ignoring case, even for ten concurrent calls', async () => {
      const raced = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          server.client.post(createWorkspace.path, { ownerEmail: index % 2 ? 'Race@Example.com' : 'race@example.com' }),
        ),
      )
      assert.equal(raced.filter(({ http }) => http === 200).length, 5)
      for (const answer of raced.filter(({ http }) => http !== 200))
        assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'too_many_workspaces')
    })
  })

  describe('PERMISSION_DENIED', () => {
    it('refuses everyone with SIGNUP=closed, and names the setting', async () => {
      const { url, db } = await startServer({ SIGNUP: 'closed' })
      const error = refused(await signUp(url), 'PERMISSION_DENIED')
      assert.equal(error.reason, 'signup_closed')
      assert.match(error.message, /SIGNUP/)
      assert.deepEqual((await db.query('select from workspaces')).rows, [])
    })

    it('accepts callers with the token with SIGNUP=token', async () => {
      const SIGNUP_TOKEN = 'a-signup-token-of-28-letters'
      const { url } = await startServer({ SIGNUP: 'token', SIGNUP_TOKEN })
      for (const given of [undefined, '', 'wrong', `${SIGNUP_TOKEN}x`, SIGNUP_TOKEN.slice(1)]) {
        const answer = await signUp(url, given === undefined ? {} : { 'x-service-signup-token': given })
        assert.equal(refused(answer, 'PERMISSION_DENIED').reason, 'signup_token_wrong')
      }
      assert.equal((await signUp(url, { 'x-service-signup-token': SIGNUP_TOKEN })).http, 200)
    })

    it('requires the token by default on the embedded engine, also from callers on this machine', async () => {
      const { url } = await startServer({ SIGNUP: '' })
      assert.equal(refused(await signUp(url), 'PERMISSION_DENIED').reason, 'signup_token_wrong')
    })

    it('is closed by default with PostgreSQL', async () => {
      if (ENGINE !== 'postgres') return
      const { url } = await startServer({
        SIGNUP: '',
        DATABASE_URL: 'postgres://127.0.0.1/unused',
        MASTER_KEY: 'ab'.repeat(32),
      })
      assert.equal(refused(await signUp(url), 'PERMISSION_DENIED').reason, 'signup_closed')
    })
  })
})

describe('workspaces.get', () => {
  it('returns the response of the signup with the keys created since', async () => {
    const created = await server.client.call(createWorkspace, { ownerEmail: 'get@example.com' })
    const owner = server.client.with({
      'x-service-workspace-id': created.id,
      'x-service-auth-token': created.authToken,
    })
    assert.deepEqual(await owner.call(getWorkspace, {}), created)
    const { workspace } = await newCallers(server.url)
    const { apiKeyList } = await workspace.call(getWorkspace, {})
    assert.equal(Object.keys(apiKeyList).length, 2)
    for (const [id, key] of Object.entries(apiKeyList)) assert.equal(key.id, id)
  })
})
