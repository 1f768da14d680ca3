/** Who may create workspaces and read the metrics of an embedded server: whoever can read its data folder (rules/keys.md#sign-up). */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { createWorkspace } from '#contract/workspaces.ts'
import { startCli } from '#testing/cli.ts'
import { createLastingStore, refusedStart, startProcess } from '#testing/process.ts'
import { ENGINE } from '#testing/server.ts'
import { refused } from '../conformance/support/refused.ts'

const store = await createLastingStore()
const settings = { ...store.settings, SIGNUP: '' }
const folder = store.settings.DATA_DIR ?? ''
const file = path.join(folder, 'operator.token')

describe('an embedded server with its defaults', { skip: ENGINE !== 'embedded' }, () => {
  it('creates workspaces and shows metrics for the token in its data folder, and for nothing else', async () => {
    const server = await startProcess(settings)
    const token = readFileSync(file, 'utf8').trim()
    assert.equal(statSync(file).mode & 0o777, 0o600)

    // As a proxy sends them that adds no header: from this machine, for 127.0.0.1.
    const signUp = (given: string) =>
      server.client
        .with({ 'x-service-signup-token': given })
        .post(createWorkspace.path, { ownerEmail: 'ada@example.com' })
    for (const given of ['', token.slice(1)])
      assert.equal(refused(await signUp(given), 'PERMISSION_DENIED').reason, 'signup_token_wrong')
    assert.equal((await fetch(`${server.url}/metrics`)).status, 401)
    const metrics = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(metrics.status, 200)

    assert.ok(server.output.stderr.includes(`${server.url}/console#signup=${token}\n`), server.output.stderr)
    assert.equal((await signUp(token)).http, 200)
    await server.kill('SIGTERM')
  })

  it('is found by the command line in its folder, whatever its port is, until it stops', async () => {
    const server = await startProcess(settings)
    assert.equal(readFileSync(path.join(folder, 'address'), 'utf8'), `${server.url}\n`)
    const { ended } = startCli(['doctor', '--json'], { DATA_DIR: folder })
    assert.match((await ended).stdout, new RegExp(`The address ${server.url} is that of the server of this folder`))
    await server.kill('SIGTERM')
    assert.ok(!existsSync(path.join(folder, 'address')))
  })

  it('keeps the token, and prints no link once there is a workspace', async () => {
    const token = readFileSync(file, 'utf8')
    const server = await startProcess(settings)
    assert.equal(readFileSync(file, 'utf8'), token)
    assert.doesNotMatch(server.output.stderr + server.output.stdout, /signup|cho_/)
  })

  it('gives its token to the command line in the folder, but not for another machine', async () => {
    const server = await startProcess({
      ...(await createLastingStore()).settings,
      SIGNUP: 'token',
      SIGNUP_TOKEN: readFileSync(file, 'utf8').trim(),
    })
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
