/** Profiles: a private file, tokens that are never arguments, and the order of precedence. */
import assert from 'node:assert/strict'
import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { newHome, profilesIn, cli as separateCli } from '#testing/processes/cli.ts'
import { cliInProcess as cli } from '#testing/processes/in-process-cli.ts'
import { patient } from '#testing/run/mode.ts'
import { connect } from '../../cli/connection/connection.ts'
import type { Profiles } from '../../cli/connection/profiles.ts'

const URL = 'https://commonhold.example.com'

describe('profile', () => {
  it('saves tokens from standard input in a file of mode 0600, and hides them', async () => {
    const HOME = newHome()
    const args = ['profile', 'add', 'staging', '--url', URL, '--api-key', 'chk_test_a', '--workspace', 'w1']
    const added = await cli(args, { HOME }, 'cht_one\nchw_two\n')
    assert.deepEqual([added.code, added.stdout], [0, ''])
    const file = path.join(HOME, '.config/commonhold/config.json')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(statSync(path.dirname(file)).mode & 0o777, 0o700)
    const shown = JSON.parse((await cli(['profile', 'show', '--json'], { HOME })).stdout)
    assert.deepEqual(shown, {
      url: URL,
      apiKey: 'chk_test_a',
      authToken: '********_one',
      workspaceId: 'w1',
      workspaceToken: '********_two',
    })
    const listed = await cli(['profile', 'list'], { HOME })
    const [line = '', ...more] = (await cli(['profile', 'list', '--json'], { HOME })).stdout.trimEnd().split('\n')
    assert.deepEqual([JSON.parse(line).name, more], ['staging', []])
    assert.match(listed.stdout, /\* {2}staging {2}https:\S+ {2}chk_test_a {2}testing +w1/)
  })

  it('names a folder that cannot be created, and the setting that names another', async () => {
    const args = ['profile', 'add', 'staging', '--url', URL]
    for (const setting of ['XDG_CONFIG_HOME', 'COMMONHOLD_CONFIG', 'HOME']) {
      const { code, stderr } = await separateCli(args, { HOME: newHome(), [setting]: '/proc/x/commonhold' })
      assert.equal(code, 2, stderr)
      assert.match(
        stderr,
        /^error +The folder \/proc\/x\S* cannot be created: ENOENT: .*\.\nnext +Name another folder with COMMONHOLD_CONFIG or XDG_CONFIG_HOME\.\n$/,
      )
    }
  })

  it('keeps the address and the credentials that it has when others are added', async () => {
    const HOME = newHome()
    const profile = async () => JSON.parse((await cli(['profile', 'show', '--json'], { HOME })).stdout)
    await cli(['profile', 'add', 'staging', '--url', URL, '--workspace', 'w1'], { HOME }, 'chw_two\n')
    const before = await profile()
    assert.equal((await cli(['profile', 'add', 'staging'], { HOME })).code, 0)
    assert.deepEqual(await profile(), before)
    await cli(['profile', 'add', 'staging', '--api-key', 'chk_test_a'], { HOME }, 'cht_one\n')
    assert.deepEqual(await profile(), { ...before, apiKey: 'chk_test_a', authToken: '********_one' })
  })

  it('goes under another name when credentials of another workspace or server replace the token of a workspace', async () => {
    const HOME = newHome()
    const add = (...args: string[]) => cli(['profile', 'add', 'staging', ...args], { HOME }, 'chw_secret\n')
    await add('--url', URL, '--workspace', 'w1')
    const replaced = await add('--workspace', 'w2')
    assert.match(
      replaced.stderr,
      /staging had the token of another workspace, w1 at https.*in the profile staging-2 now/,
    )
    await add('--url', 'https://other.example.com', '--workspace', 'w3')
    assert.doesNotMatch((await add('--workspace', 'w3')).stderr, /another/)
    const file = path.join(HOME, '.config/commonhold/config.json')
    const { profiles } = JSON.parse(readFileSync(file, 'utf8')) as Profiles
    const places = Object.entries(profiles).map(([name, { workspaceId, workspaceToken }]) => [
      ...[name, workspaceId, workspaceToken],
    ])
    assert.deepEqual(places, [
      ['staging', 'w3', 'chw_secret'],
      ['staging-2', 'w1', 'chw_secret'],
      ['staging-3', 'w2', 'chw_secret'],
    ])
  })

  it('is saved by each of several commands at the same time', { timeout: patient(60_000) }, async () => {
    const HOME = newHome()
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const add = (name: string) =>
      separateCli(['profile', 'add', name, '--url', URL, '--workspace', name], { HOME }, `chw_${name}\n`)
    for (const { code } of await Promise.all(names.map(add))) assert.equal(code, 0)
    const file = path.join(HOME, '.config/commonhold/config.json')
    const { profiles } = JSON.parse(readFileSync(file, 'utf8')) as Profiles
    assert.deepEqual(Object.keys(profiles).toSorted(), names)
  })

  it('can have a name that every object has', async () => {
    for (const name of ['constructor', '__proto__']) {
      const HOME = newHome()
      await cli(['profile', 'add', name, '--url', URL], { HOME })
      assert.deepEqual(JSON.parse((await cli(['profile', 'show', '--json'], { HOME })).stdout), { url: URL }, name)
    }
  })

  it('accepts no token as an argument, and reports a missing one', async () => {
    const HOME = newHome()
    const taken = await cli(['profile', 'add', 'x', '--auth-token', 'cht_one'], { HOME })
    assert.equal(taken.code, 2)
    const empty = await cli(['profile', 'add', 'x', '--api-key', 'chk_test_a'], { HOME })
    assert.equal(empty.code, 3)
    assert.match(empty.stderr, /Auth token of the API key: missing\./)
  })

  it('can be chosen and deleted', async () => {
    const HOME = newHome()
    for (const name of ['one', 'two']) await cli(['profile', 'add', name, '--url', URL], { HOME })
    await cli(['profile', 'use', 'two'], { HOME })
    assert.match((await cli(['profile', 'list'], { HOME })).stdout, /\n\* {2}two/)
    await cli(['profile', 'remove', 'two'], { HOME })
    assert.equal((await cli(['profile', 'use', 'two'], { HOME })).code, 2)
    assert.equal((await cli(['profile', 'add', '../x', '--url', URL], { HOME })).code, 2)
    assert.equal((await cli(['profile', 'add', 'x', '--url', 'ftp://x'], { HOME })).code, 2)
  })
})

describe('the connection', () => {
  const mine = { url: URL, apiKey: 'chk_test_mine', authToken: 'cht_mine' }
  const staging = { url: 'https://staging.example.com', apiKey: 'chk_live_s', authToken: 'cht_s' }
  const config = profilesIn(newHome(), { current: 'mine', profiles: { mine, staging } }).XDG_CONFIG_HOME
  const environment = { COMMONHOLD_CONFIG: path.join(config ?? '', 'commonhold/config.json') }
  const env = { COMMONHOLD_API_KEY: 'chk_test_env', COMMONHOLD_AUTH_TOKEN: 'cht_env' }
  const withFile = <Value>(run: () => Value): Value => {
    process.env.COMMONHOLD_CONFIG = environment.COMMONHOLD_CONFIG
    try {
      return run()
    } finally {
      delete process.env.COMMONHOLD_CONFIG
    }
  }
  const chosen = (options: object, variables: Record<string, string>) =>
    withFile(() => connect(options, variables)).apiKey

  it('uses the current profile, or the one that is named', () => {
    assert.equal(chosen({}, {}), 'chk_test_mine')
    assert.equal(chosen({ profile: 'staging' }, {}), 'chk_live_s')
    assert.equal(chosen({}, { COMMONHOLD_PROFILE: 'staging' }), 'chk_live_s')
  })

  it('prefers the environment to the profile, and a profile named on the command line to both', () => {
    assert.equal(chosen({}, env), 'chk_test_env')
    assert.equal(chosen({}, { ...env, COMMONHOLD_PROFILE: 'staging' }), 'chk_test_env')
    assert.equal(chosen({ profile: 'staging' }, env), 'chk_live_s')
  })

  it('never sends the credentials of a profile to another server', () => {
    assert.equal(chosen({}, { COMMONHOLD_URL: 'https://other.example.com' }), undefined)
    assert.equal(chosen({ url: 'https://other.example.com' }, {}), undefined)
    assert.equal(chosen({ url: `${URL}/` }, {}), 'chk_test_mine')
  })

  it('refuses a file that others can read, and an invalid one', () => {
    for (const [mode, is] of [
      [0o640, /mode 0640/],
      [0o602, /mode 0602/],
    ] as const) {
      const folder = profilesIn(newHome(), { profiles: {} }, mode).XDG_CONFIG_HOME ?? ''
      process.env.COMMONHOLD_CONFIG = path.join(folder, 'commonhold/config.json')
      assert.throws(() => connect({}, {}), is)
    }
    const target = path.join(
      profilesIn(newHome(), { profiles: {} }, 0o640).XDG_CONFIG_HOME ?? '',
      'commonhold/config.json',
    )
    const link = path.join(newHome(), 'link.json')
    symlinkSync(target, link)
    process.env.COMMONHOLD_CONFIG = link
    assert.throws(() => connect({}, {}), /mode 0640/)
    const broken = path.join(newHome(), 'config.json')
    for (const text of ['', '[]', '{"profiles": {"a": {"url": "x", "password": "y"}}}', '{"profiles": {"a": 1}}']) {
      writeFileSync(broken, text, { mode: 0o600 })
      process.env.COMMONHOLD_CONFIG = broken
      assert.throws(() => connect({}, {}), /is not a valid profiles file/)
    }
    delete process.env.COMMONHOLD_CONFIG
  })
})
