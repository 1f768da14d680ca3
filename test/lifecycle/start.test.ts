/**
 * The start of a server: it refuses settings and stores that it cannot serve with one sentence, and never harms the
 * data of another server.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { describe, test } from 'vitest'
import { getAuthTokens } from '#contract/keys/auth-tokens.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { migrate, readMigrations } from '#platform/db/migrate.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Client } from '#testing/client.ts'
import {
  createLastingStore,
  type Exit,
  refusedStart,
  type Settings,
  spawnServer,
  startProcess,
  temporaryFolder,
} from '#testing/processes/process.ts'
import { FULL } from '#testing/run/mode.ts'
import { ENGINE } from '#testing/server.ts'
import { ROOT } from '../../scripts/root.ts'

const onlyEmbedded = { skip: ENGINE !== 'embedded' }
const onlyPostgres = { skip: ENGINE !== 'postgres' }
/**
 * Behaviour that does not depend on the engine is tested on the embedded one only by the full run, because each start
 * costs three times as much there.
 */
const onEither = { skip: ENGINE !== 'postgres' && !FULL }

/** A refusal takes a part of the time of a start; other programs may slow it down. */
const STARTS_MAX = 4

/** The report of a start whose database, on a busy machine, does not respond immediately. */
const WAITING = /^Waiting up to .*\n/gm

/** Asserts exit code 1, and one matching line on standard error. */
function assertRefused({ code, stdout, stderr: said }: Exit, sentence: RegExp): void {
  const stderr = said.replace(WAITING, '')
  assert.match(stderr, /^commonhold: .*\S.*\n$/, `not one line: ${stderr}`)
  assert.match(stderr, sentence)
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
}

async function signUp(client: Client): Promise<{ owner: Client; apiKey: string; authToken: string }> {
  const workspace = await client.call(createWorkspace, { ownerEmail: 'ada@example.com' })
  const owner = client.with({ 'x-service-workspace-id': workspace.id, 'x-service-auth-token': workspace.authToken })
  const apiKey = Object.keys(workspace.apiKeyList)[0] ?? ''
  const reset = await owner.post('/v2/workspace/authtoken/reset', { apiKey })
  return { owner, apiKey, authToken: reset.body.result.data.newAuthToken.token }
}

/** Copies the program without the template. */
function programWithoutTemplate(): string {
  const folder = temporaryFolder()
  for (const name of ['package.json', 'server', 'contract', 'db'])
    cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true })
  const modules = path.join(folder, 'node_modules')
  mkdirSync(modules)
  for (const name of readdirSync(path.join(ROOT, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name))
  return path.join(folder, 'server/main.ts')
}

describe('start', () => {
  describe('of two servers', () => {
    test(
      'on one data folder the second refuses sooner than a server starts, and the first continues',
      onlyEmbedded,
      async () => {
        const { settings } = await createLastingStore()
        const first = await startProcess(settings)
        const began = performance.now()
        assertRefused(
          await refusedStart(settings),
          new RegExp(
            `is in use by another process; stop it, or set DATA_DIR to another folder\\. It serves ${first.url}\\.\n$`,
          ),
        )
        const refusedMs = performance.now() - began
        assert.ok(
          refusedMs < STARTS_MAX * first.startMs,
          `${refusedMs} ms, and the first started in ${first.startMs} ms`,
        )
        const { authToken, owner, apiKey } = await signUp(first.client)
        await first.kill('SIGKILL')

        const second = await startProcess(settings)
        const found = await second.client.with(owner.headers).call(getAuthTokens, { apiKey })
        assert.equal(found.authTokens[0]?.token, authToken)
      },
    )

    test('on one port the second refuses', onEither, async () => {
      const first = await startProcess((await createLastingStore()).settings)
      const { settings } = await createLastingStore()
      const exit = await refusedStart({ ...settings, PORT: new URL(first.url).port })
      assertRefused(exit, /Port \d+ is in use by another Commonhold \d[^;]*; stop it, or set PORT to another port\./)
    })

    test('on a port that another program uses the server says so', onEither, async () => {
      const other = createServer().listen(0, '127.0.0.1')
      await once(other, 'listening')
      const { settings } = await createLastingStore()
      const exit = await refusedStart({ ...settings, PORT: String((other.address() as AddressInfo).port) })
      other.close()
      assertRefused(exit, /Port \d+ is in use by (another program|the process \d+ \([^)]+\)); stop it, or set PORT/)
    })

    test('started together on an empty database both start', onlyPostgres, async () => {
      const store = await createLastingStore()
      const db = await store.open()
      await db.script('drop schema public cascade; create schema public')
      const [one, other] = await Promise.all([startProcess(store.settings), startProcess(store.settings)])
      const { owner, apiKey } = await signUp(one.client)
      const { authTokens } = await other.client.with(owner.headers).call(getAuthTokens, { apiKey })
      assert.equal(authTokens.length, 1)
      const { rows } = await db.query('select count(*)::int as times from schema_migrations group by version')
      assert.ok(rows.length > 0 && rows.every((row) => (row as { times: number }).times === 1))
      await db.close()
    })
  })

  test('without a workspace on PostgreSQL says how to create the first, without secrets', onlyPostgres, async () => {
    const { settings } = await createLastingStore()
    const SIGNUP_TOKEN = 'a-token-of-the-operator'
    const closed = await startProcess({ ...settings, SIGNUP: 'closed' })
    assert.match(
      closed.output.stderr,
      /no workspace yet, and nobody may create one.*set SIGNUP=token\n +and SIGNUP_TOKEN/,
    )
    const { client, output } = await startProcess({ ...settings, SIGNUP: 'token', SIGNUP_TOKEN })
    assert.match(output.stderr, /Create your first workspace in the console .*, with SIGNUP_TOKEN:\n/)
    assert.ok(!output.stderr.includes(SIGNUP_TOKEN))
    await client
      .with({ 'x-service-signup-token': SIGNUP_TOKEN })
      .call(createWorkspace, { ownerEmail: 'ada@example.com' })
    const later = await startProcess({ ...settings, SIGNUP: 'closed' })
    assert.doesNotMatch(later.output.stderr, /workspace/)
  })

  describe('with wrong settings', () => {
    const MASTER_KEY = Buffer.alloc(32, 1).toString('base64')
    const DATABASE_URL = 'postgres://postgres@127.0.0.1:1/nothing'
    // server/config.test.ts has all other settings.
    const cases: [settings: Settings, sentence: RegExp][] = [
      [{ PORT: '70000' }, /PORT must be a whole number from 0 to 65535\./],
      [{ DATABASE_URL }, /MASTER_KEY is required with DATABASE_URL/],
    ]
    for (const [settings, sentence] of cases)
      test(`refuses ${JSON.stringify(settings)}`, onlyEmbedded, async () => {
        const folder = temporaryFolder()
        assertRefused(await refusedStart({ DATA_DIR: path.join(folder, 'data'), ...settings }), sentence)
        assert.ok(!existsSync(path.join(folder, 'data')), 'it touched the data folder')
      })

    test('refuses a data folder that cannot be created, and names it', onlyEmbedded, async () => {
      const file = path.join(temporaryFolder(), 'file')
      writeFileSync(file, '')
      assertRefused(
        await refusedStart({ DATA_DIR: path.join(file, 'data') }),
        /The data folder .*file\/data cannot be used: .*; set DATA_DIR to another\./,
      )
    })

    test('refuses a data folder where none can be created, instead of trying without end', onlyEmbedded, async () => {
      assertRefused(
        await refusedStart({ DATA_DIR: '/proc/data' }),
        /The data folder \/proc\/data cannot be used: ENOENT: .*; set DATA_DIR to another\./,
      )
    })

    test(
      'refuses a store that cannot be opened, and a folder in place of a secret, and names them',
      onlyEmbedded,
      async () => {
        const { settings } = await createLastingStore()
        await (await startProcess(settings)).kill('SIGTERM')
        const inFolder = (name: string) => path.join(settings.DATA_DIR ?? '', name)
        rmSync(inFolder('operator.token'))
        mkdirSync(inFolder('operator.token'))
        assertRefused(
          await refusedStart(settings),
          /The data folder cannot be used: .*operator\.token is a folder; set/,
        )
        rmSync(inFolder('store/pg_wal'), { recursive: true })
        assertRefused(
          await refusedStart(settings),
          /The store .*store cannot be opened: .*; its files may be damaged.*restore/,
        )
        rmSync(inFolder('store/PG_VERSION'))
        assertRefused(
          await refusedStart(settings),
          /The store .*store cannot be opened: .*; its files may be damaged.*restore/,
        )
      },
    )

    test('refuses a store of another user, and says which folder it is', onlyEmbedded, async () => {
      const folder = temporaryFolder()
      writeFileSync(path.join(folder, 'store'), '') // nobody may enter this folder, not even root
      assertRefused(
        await refusedStart({ DATA_DIR: folder }),
        /The data folder .* cannot be used: EACCES: .*store'; set DATA_DIR to another\./,
      )
    })

    for (const HOST of ['198.51.100.1', 'no-such-host.invalid', 'fe80::1'])
      test(`refuses HOST=${HOST}, and says which setting is wrong`, onEither, async () => {
        const { settings } = await createLastingStore()
        assertRefused(
          await refusedStart({ ...settings, HOST }),
          /HOST is \S+, which is no address of this machine; set it to 127\.0\.0\.1/,
        )
      })

    test('waits for a database that cannot be reached, says so, and refuses it in the end', onlyPostgres, async () => {
      const exit = await refusedStart({ DATABASE_URL, MASTER_KEY })
      const [first = '', ...more] = exit.stderr.split(/(?<=\n)/)
      const last = more.pop() ?? ''
      for (const line of [first, ...more])
        assert.match(
          line,
          /^Waiting up to 10 seconds for PostgreSQL to respond: .*(ECONNREFUSED|timeout expired).*\.\n$/,
        )
      assertRefused(
        { ...exit, stderr: last },
        /The database of DATABASE_URL cannot be used: .*(ECONNREFUSED|timeout expired).*; start PostgreSQL, or correct the host and the port/,
      )
    })

    test('refuses a database that does not exist, and names it', onlyPostgres, async () => {
      const { settings } = await createLastingStore()
      const url = `${settings.DATABASE_URL}_not`
      assertRefused(
        await refusedStart({ ...settings, DATABASE_URL: url }),
        /cannot be used: .*does not exist; create it, or correct its name/,
      )
    })
  })

  test('refuses a schema that is newer than the code, and does not change it', onEither, async () => {
    const store = await createLastingStore()
    await (await startProcess(store.settings)).kill('SIGTERM')
    let db = await store.open()
    await db.script(`insert into schema_migrations (version, name) values (9999, 'from-the-future')`)
    await db.close()
    assertRefused(
      await refusedStart(store.settings),
      /schema version 9999, but this Commonhold only knows versions up to \d+; run the version/,
    )
    db = await store.open()
    const { rows } = await db.query('select max(version) as version from schema_migrations')
    await db.close()
    assert.deepEqual(rows, [{ version: 9999 }])
  })

  test('on a database that does not fit says what to do', onlyPostgres, async () => {
    const store = await createLastingStore()
    const url = new URL(store.settings.DATABASE_URL ?? '')
    const name = `${url.pathname.slice(1)}_unfit`
    const db = await store.open()
    cleanUp(async () => {
      await db.script(`drop database ${name} with (force)`)
      await db.script(`drop role ${name}`)
      await db.close()
    })
    await db.script(`create role ${name} login`)
    await db.script(`create database ${name} encoding 'LATIN1' template template0 locale 'C'`)
    const unfit = { ...store.settings, DATABASE_URL: Object.assign(new URL(url), { pathname: `/${name}` }).href }
    assertRefused(await refusedStart(unfit), /its encoding is LATIN1; create another with: .* encoding 'UTF8'/)
    await db.script(`drop database ${name}`)
    await db.script(`create database ${name} template template0`)
    const other = Object.assign(new URL(unfit.DATABASE_URL), { username: name, password: '' })
    assertRefused(
      await refusedStart({ ...unfit, DATABASE_URL: other.href }),
      /permission denied for schema public; make its user the owner/,
    )
    const odd = Object.assign(new URL(url), { search: '?options=-c%20work_mem%3Dmuch' })
    assertRefused(
      await refusedStart({ ...unfit, DATABASE_URL: odd.href }),
      /invalid value for parameter "work_mem": "much"; correct the parameters in DATABASE_URL\.$/m,
    )
    other.pathname = url.pathname // as after a restore by another user
    assertRefused(
      await refusedStart({ ...unfit, DATABASE_URL: other.href }),
      /permission denied for table .*; let DATABASE_URL name the user who owns its tables\.$/m,
    )
  })

  test('logs an upgrade of the schema once, with both versions, and not the creation of one', onEither, async () => {
    const store = await createLastingStore()
    const created = await startProcess(store.settings)
    const upgrade = /"from":(\d+),"to":(\d+),"migrations":\["([a-z_]+)"\]/
    assert.doesNotMatch(created.output.stdout, upgrade)
    await created.kill('SIGTERM')
    const db = await store.open()
    await db.script('drop schema public cascade; create schema public')
    await migrate(db, readMigrations().slice(0, -1))
    await db.close()
    const upgraded = await startProcess(store.settings)
    const [, from, to, name] = upgrade.exec(upgraded.output.stdout) ?? assert.fail(upgraded.output.stdout)
    const last = readMigrations().at(-1)
    assert.deepEqual([Number(from), Number(to), name], [(last?.version ?? 0) - 1, last?.version, last?.name])
    await upgraded.kill('SIGTERM')
    assert.doesNotMatch((await startProcess(store.settings)).output.stdout, upgrade)
  })

  describe('with a command', () => {
    test('migrate updates the schema, reports what it did, serves nothing, and can be repeated', onEither, async () => {
      const store = await createLastingStore()
      let db = await store.open()
      await db.script('drop schema public cascade; create schema public')
      await db.close()
      const migrate = () => spawnServer(store.settings, undefined, ['migrate']).exited
      const [first, ...more] = (await migrate()).stdout.trim().split('\n')
      assert.equal(first, 'applied initial')
      assert.equal(more.at(-1), 'The schema is up to date.')
      assert.deepEqual(await migrate(), {
        code: 0,
        signal: null,
        stdout: 'The schema is up to date.\n',
        stderr: '',
      })
      db = await store.open()
      const { rows } = await db.query('select count(*)::int as keys from api_keys')
      await db.close()
      assert.deepEqual(rows, [{ keys: 0 }])
      await signUp((await startProcess(store.settings)).client)
    })

    test('that does not exist is refused', onEither, async () => {
      const { settings } = await createLastingStore()
      assertRefused(await spawnServer(settings, undefined, ['destroy']).exited, /There is no command destroy: /)
    })
  })

  describe('the first on an empty folder', () => {
    test('works without the template, also after it was killed midway', {
      skip: ENGINE !== 'embedded' || !FULL,
    }, async () => {
      const main = programWithoutTemplate()
      const settings = { DATA_DIR: path.join(temporaryFolder(), 'data') }
      for (const delayMs of [700, 1_200, 2_000]) {
        const halfway = spawnServer(settings, main)
        await new Promise((resolve) => setTimeout(resolve, delayMs))
        await halfway.kill('SIGKILL')
      }
      const { client } = await startProcess(settings, main)
      await signUp(client)
    })
  })

  describe('the master key', () => {
    test(
      'is created once, readable only by its owner as the store is, and opens sealed values after restarts',
      onlyEmbedded,
      async () => {
        const { settings } = await createLastingStore()
        const file = path.join(settings.DATA_DIR ?? '', 'master.key')
        const first = await startProcess(settings)
        const { owner, apiKey, authToken } = await signUp(first.client)
        const key = readFileSync(file, 'utf8')
        assert.equal(statSync(file).mode & 0o777, 0o600)
        assert.equal(statSync(path.join(settings.DATA_DIR ?? '', 'store')).mode & 0o777, 0o700)
        await first.kill('SIGTERM')
        const second = await startProcess(settings)
        const { authTokens } = await second.client.with(owner.headers).call(getAuthTokens, { apiKey })
        assert.equal(authTokens[0]?.token, authToken)
        assert.equal(readFileSync(file, 'utf8'), key)
      },
    )

    test('that is damaged or lost on disk stops the start instead of being created again', onlyEmbedded, async () => {
      const { settings } = await createLastingStore()
      const first = await startProcess(settings)
      await first.kill('SIGTERM')
      const file = path.join(settings.DATA_DIR ?? '', 'master.key')
      writeFileSync(file, 'not a key\n')
      assertRefused(await refusedStart(settings), /master\.key does not hold a key of 32 bytes as base64/)
      rmSync(file)
      assertRefused(await refusedStart(settings), /master\.key is missing/)
    })

    test(
      'replaced by another stops the start, unless MASTER_KEY_PREVIOUS opens earlier secrets; so does going back',
      onEither,
      async () => {
        const { settings } = await createLastingStore()
        const keys = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64'))
        const [before, later, last] = keys as [string, string, string]
        let server = await startProcess({ ...settings, MASTER_KEY: before })
        const { owner, apiKey, authToken } = await signUp(server.client)
        await server.kill('SIGTERM')
        assertRefused(
          await refusedStart({ ...settings, MASTER_KEY: later }),
          /MASTER_KEY is not the key of this database/,
        )

        server = await startProcess({ ...settings, MASTER_KEY: later, MASTER_KEY_PREVIOUS: before })
        const { authTokens } = await server.client.with(owner.headers).call(getAuthTokens, { apiKey })
        assert.equal(authTokens[0]?.token, authToken)
        await server.kill('SIGTERM')
        // Both keys have sealed secrets by now.
        const wrong: Settings[] = [{ MASTER_KEY: before }, { MASTER_KEY: last, MASTER_KEY_PREVIOUS: before }]
        for (const one of wrong)
          assertRefused(await refusedStart({ ...settings, ...one }), /MASTER_KEY is not the key of this database/)
        server = await startProcess({ ...settings, MASTER_KEY: before, MASTER_KEY_PREVIOUS: later })
        await server.kill('SIGTERM')
        server = await startProcess({ ...settings, MASTER_KEY: last, MASTER_KEY_PREVIOUS: `${later}, ${before}` })
        const after = await server.client.with(owner.headers).call(getAuthTokens, { apiKey })
        assert.equal(after.authTokens[0]?.token, authToken)
      },
    )
  })
})
