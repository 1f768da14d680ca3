/**
 * Everyone who can read the data folder of an embedded server may create workspaces and read its metrics
 * (rules/keys.md#sign-up). Also tests the first visit on one's own machine (rules/operators.md#the-first-visit).
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, it } from 'vitest'
import { getAuthTokens } from '#contract/keys/auth-tokens.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { createWorkspace, getWorkspace } from '#contract/workspace/workspaces.ts'
import { startCli } from '#testing/processes/cli.ts'
import { createLastingStore, refusedStart, type ServerProcess, startProcess } from '#testing/processes/process.ts'
import { ENGINE } from '#testing/server.ts'
import { cookieOf, SESSION, whose } from '../conformance/support/console-session.ts'
import { refused } from '../conformance/support/refused.ts'

const store = await createLastingStore()
const settings = { ...store.settings, SIGNUP: '' }
const folder = store.settings.DATA_DIR ?? ''
const file = path.join(folder, 'operator.token')

describe('an embedded server with its defaults', { skip: ENGINE !== 'embedded' }, () => {
  let server: ServerProcess
  beforeAll(async () => {
    server = await startProcess(settings)
  })

  it("prints a link that creates the first workspace and signs in its owner, once, on one's own machine", async () => {
    const [, secret = ''] = /\/console#welcome=(\S+)\n/.exec(server.output.stderr) ?? []
    const page = server.client.with(SESSION)
    const create = (token: string, from = page) =>
      from.post('/console/first-visit/create', { token, workspaceName: 'Engines' })
    for (const token of ['x', secret.slice(1), readFileSync(file, 'utf8').trim()])
      refused(await create(token), 'UNAUTHENTICATED')
    refused(await create(secret, server.client), 'INVALID_ARGUMENT')
    assert.equal((await page.post('/console/first-visit/get', { token: secret })).http, 200)

    const answers = await Promise.all(Array.from({ length: 4 }, () => create(secret)))
    const [created = assert.fail(), ...more] = answers.filter(({ http }) => http === 200)
    assert.equal(more.length, 0)
    const { workspaceId, workspaceToken, apiKey } = created.body.result.data
    const [cookie = ''] = cookieOf(created).split(';')
    const owner = server.client.with({ ...SESSION, cookie })
    assert.partialDeepStrictEqual(await whose(owner), { workspaceId, operator: { role: 'owner' } })
    assert.equal((await owner.call(getWorkspace, {})).name, 'Engines')
    const { authTokens } = await owner.call(getAuthTokens, { apiKey })
    const app = server.client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authTokens[0]?.token ?? '' })
    assert.deepEqual(await app.call(getOrganizations, {}), [])
    const byToken = { 'x-service-workspace-id': workspaceId, 'x-service-auth-token': workspaceToken }
    assert.equal((await server.client.with(byToken).call(getWorkspace, {})).id, workspaceId)
    refused(await create(secret), 'UNAUTHENTICATED')
    refused(await page.post('/console/first-visit/get', { token: secret }), 'UNAUTHENTICATED')
  })

  it('creates workspaces and shows metrics for the token in its data folder, and for nothing else', async () => {
    const token = readFileSync(file, 'utf8').trim()
    assert.equal(statSync(file).mode & 0o777, 0o600)

    // Requests as from a proxy that adds no header: from this machine, for 127.0.0.1.
    const signUp = (given: string) =>
      server.client
        .with({ 'x-service-signup-token': given })
        .post(createWorkspace.path, { ownerEmail: 'ada@example.com' })
    for (const given of ['', token.slice(1)])
      assert.equal(refused(await signUp(given), 'PERMISSION_DENIED').reason, 'signup_token_wrong')
    assert.equal((await fetch(`${server.url}/metrics`)).status, 401)
    const metrics = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(metrics.status, 200)

    assert.ok(!server.output.stderr.includes(token), server.output.stderr)
    assert.equal((await signUp(token)).http, 200)
    await server.kill('SIGTERM')
  })

  it('is found by the command line in its folder, on any port, until it stops', async () => {
    const server = await startProcess(settings)
    assert.equal(readFileSync(path.join(folder, 'address'), 'utf8'), `${server.url}\n`)
    const { ended } = startCli(['doctor', '--json'], { DATA_DIR: folder })
    assert.match((await ended).stdout, new RegExp(`The address ${server.url} is from the server of this folder`))
    await server.kill('SIGTERM')
    assert.ok(!existsSync(path.join(folder, 'address')))
  })

  it('keeps the token, and prints no link once there is a workspace', async () => {
    const token = readFileSync(file, 'utf8')
    const server = await startProcess(settings)
    assert.equal(readFileSync(file, 'utf8'), token)
    assert.doesNotMatch(server.output.stderr + server.output.stdout, /signup|welcome|cho_/)
  })

  it('gives its token to the command line in the folder, but not for another machine', async () => {
    const token = readFileSync(file, 'utf8').trim()
    const server = await startProcess({
      ...(await createLastingStore()).settings,
      SIGNUP: 'token',
      SIGNUP_TOKEN: token,
      PUBLIC_URL: 'https://hold.example.com',
    })
    // Under a host name, the link signs nobody in. It leads to where people open the console, whose cookie works only there.
    const { stderr } = server.output
    assert.ok(stderr.includes(`https://hold.example.com/console#signup=${token}\n`), stderr)
    assert.ok(stderr.includes(`  Listens at ${server.url}\n`), stderr)
    assert.doesNotMatch(server.output.stderr, /welcome/)
    const guess = { token, workspaceName: 'Engines' }
    refused(await server.client.with(SESSION).post('/console/first-visit/create', guess), 'UNAUTHENTICATED')
    const create = (url: string) =>
      startCli(['workspace', 'create', 'ada@example.com'], { DATA_DIR: folder, COMMONHOLD_URL: url }).ended
    assert.equal((await create(server.url)).code, 0)
    const { port } = new URL(server.url)
    const elsewhere = await create(`http://0.0.0.0:${port}`)
    assert.match(elsewhere.stderr, /sign-up token/)
  })

  it('refuses a file that is too short to be a secret', async () => {
    const other = (await createLastingStore()).settings
    writeFileSync(path.join(other.DATA_DIR ?? '', 'operator.token'), 'short\n')
    const { code, stderr } = await refusedStart({ ...other, SIGNUP: '' })
    assert.equal(code, 1)
    assert.match(stderr, /operator\.token must hold a token of at least 16 characters; delete it to get a new one/)
  })
})
