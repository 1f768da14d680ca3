/** `commonhold dev`: a temporary server for a command, always on the embedded engine. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, it } from 'vitest'
import { until } from '#testing/eventually.ts'
import { cli, startCli } from '#testing/processes/cli.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { run } from '../../cli/run.ts'

const node = (script: string) => ['--', process.execPath, '-e', script]
const ENV = 'process.env.COMMONHOLD_'
/** Prints the response of the server to a call with the credentials of the environment. */
const CALL = `fetch(${ENV}URL + '/v2/organizations/get', { method: 'POST', body: '{"data":{}}', headers: {
  'content-type': 'application/json', 'x-service-api-key': ${ENV}API_KEY, 'x-service-auth-token': ${ENV}AUTH_TOKEN } })
  .then((answer) => answer.json()).then((answer) => console.log(JSON.stringify({ url: ${ENV}URL, data: answer.result.data })))`

const isReached = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )
/** The temporary folder in which killed processes leave their data. */
const TMPDIR = temporaryFolder()
const start = (...args: string[]) => startCli(['dev', ...args], { TMPDIR })
const dev = (...args: string[]) => cli(['dev', ...args], { TMPDIR })

describe('dev', () => {
  it('gives the command a server and credentials, and deletes everything at the end', async () => {
    const temporary = temporaryFolder()
    const { code, stdout, stderr } = await cli(['dev', ...node(CALL)], { TMPDIR: temporary })
    assert.deepEqual([code, stderr], [0, ''])
    const { url, data } = JSON.parse(stdout)
    assert.deepEqual(data, [])
    assert.equal(await isReached(url), false)
    assert.deepEqual(readdirSync(temporary), [])
  })

  it('says at a terminal that the server is there', async () => {
    const terminal = () => Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
    const own = { stdin: terminal(), stdout: terminal(), stderr: terminal(), env: { ...process.env, TMPDIR } }
    await run(['node', 'commonhold', 'dev', '--cmd', 'true'], own)
    assert.match(
      String(own.stderr.read()),
      /^The server http:\S+ runs until the command ends\. Its credentials are in the environment\.\n$/,
    )
  })

  it('exits with the code of the command, or with 128 plus the number of the signal that ended it', async () => {
    assert.equal((await dev('--cmd', 'exit 7')).code, 7)
    assert.equal((await dev('--cmd', 'true')).code, 0)
    assert.equal((await dev(...node('process.kill(process.pid, "SIGTERM")'))).code, 143)
  })

  it('leaves the options after the command to the command', async () => {
    const script = 'console.log(process.argv.slice(2).join(" "))'
    const file = path.join(temporaryFolder(), 'echo.mjs')
    writeFileSync(file, script)
    const { stdout } = await dev(
      '--persist',
      path.join(temporaryFolder(), 'kept'),
      process.execPath,
      file,
      '--port',
      '3',
      '--version',
      '--json',
      '-h',
    )
    assert.equal(stdout, '--port 3 --version --json -h\n')
  })

  it('passes signals on, waits for the command, and leaves no server', async () => {
    const script = `process.on('SIGTERM', () => setTimeout(() => process.exit(9), 200)); console.log(${ENV}URL); setInterval(() => {}, 1000)`
    const running = start(...node(script))
    const [url] = await running.until(/http:\S+/)
    running.child.kill('SIGTERM')
    assert.equal((await running.ended).code, 9)
    assert.equal(await isReached(url), false)
  })

  it('stops the server when it is killed itself', async () => {
    const running = start(...node(`console.log(${ENV}URL); setTimeout(() => {}, 3000)`))
    const [url] = await running.until(/http:\S+/)
    running.child.kill('SIGKILL')
    await until('end of the server', async () => !(await isReached(url)))
  })

  it('never touches the database of the environment, nor a .env file', async () => {
    const folder = temporaryFolder()
    writeFileSync(path.join(folder, '.env'), 'DATABASE_URL=postgres://nobody@127.0.0.1:1/x\nMASTER_KEY=x\n')
    const environment = { TMPDIR, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x', PORT: '1' }
    const { code, stdout } = await cli(['dev', '--cmd', 'true'], environment, '', folder)
    assert.deepEqual([code, stdout], [0, ''])
  })

  it('makes the calls of a seed first, and reports an invalid seed', async () => {
    const seed = path.join(temporaryFolder(), 'seed.json')
    const add = { operation: 'organizations.add', data: { organizations: [{ organizationId: 'acme' }] } }
    writeFileSync(seed, JSON.stringify([add]))
    const { stdout } = await dev('--seed', seed, ...node(CALL))
    assert.equal(JSON.parse(stdout).data[0].id, 'acme')
    writeFileSync(seed, JSON.stringify([add, { operation: 'organization.add' }]))
    const wrong = await dev('--seed', seed, '--cmd', 'true')
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, /cannot be used as a seed: step 2 names no operation\./)
    writeFileSync(
      seed,
      JSON.stringify([{ operation: 'folders.add', data: { organizationId: 'nowhere', folders: [] } }]),
    )
    const refused = await dev('--seed', seed, '--cmd', 'true')
    assert.equal(refused.code, 125)
    assert.match(refused.stderr, /^error {2}folders must /)
  })

  it('continues with the data of --persist and the same credentials', async () => {
    const folder = path.join(temporaryFolder(), 'kept')
    const key = node(`console.log(${ENV}API_KEY, ${ENV}AUTH_TOKEN)`)
    const first = await dev('--persist', folder, ...key)
    const second = await dev('--persist', folder, ...key)
    assert.match(first.stdout, /^chk_test_\w+ cht_\w+\n$/)
    assert.equal(second.stdout, first.stdout)
    assert.ok(existsSync(path.join(folder, 'data')))
  })

  it('names a folder of --persist that cannot be created', async () => {
    const { code, stderr } = await cli(['dev', '--persist', '/proc/x', '--', 'true'])
    assert.equal(code, 125)
    assert.match(
      stderr,
      /^error +The folder \/proc\/x cannot be created: .*\nnext +Name another folder with --persist\.\n$/,
    )
  })

  it('freezes time with --clock: a grant that expires at that second is expired, one a second later is not', async () => {
    const seed = path.join(temporaryFolder(), 'seed.json')
    const clock = '2030-01-31T12:00:00Z'
    const resource = { type: 'organization', id: 'acme' }
    const grants = [0, 1].map((later) => {
      const resources = [{ ...resource, expiresAt: Date.parse(clock) / 1_000 + later }]
      return { operation: 'permissions.add', data: { user: { userId: `user${later}` }, permissions: { resources } } }
    })
    writeFileSync(seed, JSON.stringify(grants))
    const checks = [0, 1].map((later) => ({ userId: `user${later}`, resource }))
    const script = CALL.replace('/v2/organizations/get', '/v2/auth/permissions/check').replace(
      `'{"data":{}}'`,
      `'${JSON.stringify({ data: { checks } })}'`,
    )
    const { stdout } = await dev('--clock', clock, '--seed', seed, ...node(script))
    assert.deepEqual(
      JSON.parse(stdout).data.checks.map(({ reason }: { reason: string }) => reason),
      ['grant_expired', 'grant'],
    )
    assert.equal((await dev('--clock', 'soon', '--cmd', 'true')).code, 2)
  })

  it('reports an invalid command', async () => {
    const unknown = await dev('--', 'no-such-command')
    assert.equal(unknown.code, 125)
    assert.match(unknown.stderr, /^error {2}There is no command "no-such-command"\.\n/)
    assert.equal((await dev('--cmd', 'true', '--', 'true')).code, 2)
  })

  it('writes the variables and runs until it is stopped, without a command', async () => {
    const running = start()
    const [, url = ''] = await running.until(/export COMMONHOLD_URL=(\S+)/)
    assert.equal(await isReached(url), true)
    running.child.kill('SIGINT')
    assert.equal((await running.ended).code, 0)
    assert.equal(await isReached(url), false)
  })

  it('ends with --json when its standard input is closed', async () => {
    const running = start('--json')
    const [line] = await running.until(/^\{.*\}\n/)
    const { COMMONHOLD_URL: url } = JSON.parse(line)
    running.child.stdin?.end()
    assert.equal((await running.ended).code, 0)
    assert.equal(await isReached(url), false)
  })
})
