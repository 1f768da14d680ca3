/** The list of console sessions: who sees which, and ends them. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { createWorkspaceToken, revokeWorkspaceToken } from '#contract/workspace/workspace-tokens.ts'
import type { Client } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { type Callers, callersFrom } from '../../../../test/conformance/support/callers.ts'
import { asHolder, asOwner, signIn, signInAs, whose } from '../../../../test/conformance/support/console-session.ts'
import { eventsOfWorkspace } from '../../../../test/conformance/support/events.ts'
import { refused } from '../../../../test/conformance/support/refused.ts'

const server = await startServer()

interface Listed {
  id: string
  operator?: { id: string; name: string }
  token?: string
  userAgent: string
  address: string
  createdAt: number
  lastSeenAt: number
  endsAt: number
  isCurrent: boolean
}

let mine: Callers
beforeEach(async () => {
  mine = await callersFrom(server.client)
})

const list = async (session: Client): Promise<Listed[]> =>
  (await session.post('/console/sessions/list', {})).body.result.data.sessions
const end = (session: Client, sessionId: string) => session.post('/console/sessions/end', { sessionId })
const names = (sessions: Listed[]) => sessions.map(({ operator, token }) => operator?.name ?? token).sort()

describe('sessions/list', () => {
  it('shows at most 1,000, those of the latest calls', async () => {
    const session = await signIn(server.client, asOwner(mine))
    await server.db.query(
      `insert into console_sessions (session_hash, workspace_id, token_hash, last_seen_at, expires_at)
       select sha256(n::text::bytea), workspace_id, token_hash, last_seen_at - interval '1 hour', expires_at
         from console_sessions, generate_series(1, 1001) n where workspace_id = $1`,
      [asOwner(mine).workspaceId],
    )
    const sessions = await list(session)
    assert.equal(sessions.length, 1_000)
    assert.equal(sessions[0]?.isCurrent, true)
  })

  it('shows operators their own sessions, and admins and holders of a token those of all', async () => {
    const agent = server.client.with({ 'user-agent': 'A browser' })
    const byToken = await signIn(agent, asOwner(mine))
    const kim = await signInAs(mine.workspace, 'developer', 'Kim')
    const lee = await signInAs(mine.workspace, 'admin', 'Lee')
    assert.deepEqual(names(await list(kim)), ['Kim'])
    for (const session of [lee, byToken]) assert.deepEqual(names(await list(session)), ['Kim', 'Lee', 'workspace'])
    const [own = assert.fail()] = (await list(kim)).filter(({ isCurrent }) => isCurrent)
    assert.deepEqual(own.operator, { id: kim.operatorId, name: 'Kim' })
    assert.equal(own.address, '127.0.0.1')
    assert.equal(own.endsAt - own.lastSeenAt, 12 * 3_600_000)
    assert.ok(own.createdAt <= own.lastSeenAt)
  })

  it('leaves out sessions whose token was revoked, and those of other workspaces and of API keys', async () => {
    const { id, token } = await mine.workspace.call(createWorkspaceToken, { name: 'laptop' })
    await signIn(server.client, { ...asOwner(mine), token })
    const theirs = await callersFrom(server.client)
    await signIn(server.client, asOwner(theirs))
    const holder = await signIn(server.client, asHolder(mine))
    const owner = await signInAs(mine.workspace, 'owner', 'Ada')
    assert.deepEqual(names(await list(owner)), ['Ada', 'laptop'])
    await mine.workspace.call(revokeWorkspaceToken, { tokenId: id })
    assert.deepEqual(names(await list(owner)), ['Ada'])
    refused(await holder.post('/console/sessions/list', {}), 'UNAUTHENTICATED')
  })
})

describe('sessions/end', () => {
  it('ends a session at once, and says who did it', async () => {
    const kim = await signInAs(mine.workspace, 'support', 'Kim')
    const lee = await signInAs(mine.workspace, 'admin', 'Lee')
    const [{ id = '' } = {}] = (await list(lee)).filter(({ operator }) => operator?.name === 'Kim')
    assert.equal((await end(lee, id)).http, 200)
    assert.equal(await whose(kim), undefined)
    assert.equal((await end(lee, id)).http, 200)
    const workspaceId = mine.workspace.headers['x-service-workspace-id'] ?? ''
    const ended = (await eventsOfWorkspace(server.db, workspaceId)).filter(({ type }) => type.includes('session'))
    assert.deepEqual(
      ended.map(({ type, actor, before }) => [type, actor.operator?.name, before]),
      [['operator.session_ended', 'Lee', { sessionId: id, operatorId: kim.operatorId }]],
    )
  })

  it('does not end the sessions of others for operators below admin, and none of another workspace', async () => {
    const kim = await signInAs(mine.workspace, 'developer')
    const lee = await signInAs(mine.workspace, 'admin')
    const theirs = await signInAs((await callersFrom(server.client)).workspace, 'owner')
    const [{ id = '' } = {}] = (await list(lee)).filter(({ isCurrent }) => isCurrent)
    for (const session of [kim, theirs]) await end(session, id)
    await end(kim, 'unknown')
    assert.notEqual(await whose(lee), undefined)
  })

  it('needs the header that pages of other sites cannot send', async () => {
    const kim = await signInAs(mine.workspace, 'developer')
    const { cookie = '' } = kim.headers
    for (const name of ['sessions/list', 'sessions/end'])
      refused(await server.client.with({ cookie }).post(`/console/${name}`, { sessionId: 'x' }), 'INVALID_ARGUMENT')
  })
})
