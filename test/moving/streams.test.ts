/** `export` and `import` work with pipes, and report for unusable files what is wrong and what to do next. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { apiKeyClient } from '#testing/clients.ts'
import { cli, type Environment, environmentOf, newHome, startCli } from '#testing/processes/cli.ts'
import { sharedServer } from '#testing/server.ts'
import { faultsIn } from './files.ts'
import { fillRandomly, SMALLEST } from './worlds.ts'

const server = await sharedServer()
const home = newHome()
const inHome = (name: string): string => path.join(home, name)
const newEnvironment = async (): Promise<Environment> => environmentOf(server.url, { apiKey: await server.newKey() })
const run = (args: string[], environment: Environment, input = '') => cli(args, environment, input, home)

const HEADER = '{"record":"export","format":1,"of":"apiKey"}\n'
const ORGANIZATION = '{"record":"organization","organizationId":"acme"}\n'

describe('a pipe', () => {
  it('passes an export from standard output to standard input, byte for byte', async () => {
    const apiKey = await server.newKey()
    await fillRandomly(apiKeyClient(server.url, apiKey), 31, SMALLEST)
    const from = environmentOf(server.url, { apiKey })
    const [{ stdout: exported }, { stdout: dashed }] = await Promise.all([
      run(['export'], from),
      run(['export', '-'], from),
    ])
    assert.equal(dashed, exported)
    const to = await newEnvironment()
    const { code, stderr, stdout } = await run(['import', '-'], to, exported)
    assert.deepEqual([code, stdout], [0, ''])
    assert.match(stderr, /^✓ [\d,]+ records imported, 0 refused\.\n$/)
    assert.equal((await run(['export'], to)).stdout, exported)
  })

  it('writes refused lines to the current folder, and cannot be resumed', async () => {
    const to = await newEnvironment()
    const { code, stderr } = await run(['import', '-'], to, `${HEADER}${ORGANIZATION}{"record":"nonsense"}\n`)
    assert.equal(code, 5)
    assert.match(
      stderr,
      /^warning {2}Every user .*\n! 1 records imported, 1 refused\.\n {2}Refused lines, with reasons: commonhold\.import-errors\n/,
    )
    assert.match(stderr, /\n {2}The file ends without its last line.*Export again and import the new file/)
    assert.deepEqual(
      faultsIn(inHome('commonhold.import-errors')).map(({ line }) => line),
      [3],
    )
    const resumed = await run(['import', '-', '--resume'], to, HEADER)
    assert.equal(resumed.code, 2)
    assert.match(resumed.stderr, /cannot be resumed.*\n.*Import it again from its beginning/)
  })

  it('can be interrupted while it waits for input, and says how to complete the import', async () => {
    const apiKey = await server.newKey()
    const importing = startCli(['import', '-'], environmentOf(server.url, { apiKey }), undefined, home)
    importing.child.stdin?.write(`${HEADER}{"record":"settings","expiringSoonSeconds":60}\n${ORGANIZATION}`)
    const settings = () => apiKeyClient(server.url, apiKey).keyConfig.get()
    while ((await settings()).expiringSoonSeconds !== 60 && importing.child.exitCode === null) await sleep(20)
    importing.child.kill('SIGINT')
    const { code, stderr } = await importing.ended
    assert.equal(code, 130)
    assert.match(stderr, /Interrupted\. Records imported until then remain\./)
    assert.match(stderr, /To complete it: Import it again from its beginning/)
  })

  it('can be closed before the export ends', async () => {
    const exporting = startCli(['export'], await newEnvironment(), undefined, home)
    exporting.child.stdout?.destroy()
    const { code, stderr } = await exporting.ended
    assert.deepEqual([code, stderr.includes(' at ')], [0, false])
  })
})

describe('an import of a file that is interrupted', () => {
  it('reports what remains and how to continue, and continues', async () => {
    const users = Array.from({ length: 8_000 }, (_, index) => `{"record":"user","userId":"user ${index}"}\n`)
    const settings = '{"record":"settings","expiringSoonSeconds":60}\n'
    writeFileSync(inHome('long.ndjson'), `${HEADER}${settings}${users.join('')}{"record":"end","records":8001}\n`)
    const to = await newEnvironment()
    const importing = startCli(['import', 'long.ndjson'], to, undefined, home)
    while (!existsSync(inHome('long.ndjson.import-state')) && importing.child.exitCode === null) await sleep(2)
    importing.child.kill('SIGINT')
    const { code, stderr } = await importing.ended
    assert.equal(code, 130)
    assert.match(
      stderr,
      /To continue: commonhold import long\.ndjson --resume\n.*Interrupted\. Records imported until then remain\./s,
    )
    const resumed = await run(['import', 'long.ndjson', '--resume'], to)
    assert.deepEqual([resumed.code, resumed.stderr], [0, '✓ 8,001 records imported, 0 refused.\n'])
  })
})

describe('a file that cannot be read or written', () => {
  const cases: Record<string, { args: string[]; says: RegExp }> = {
    'an export into a folder that is not there': {
      args: ['export', 'nowhere/acme.ndjson'],
      says: /The file nowhere\/acme\.ndjson cannot be written \(ENOENT\)\.\n.*Does the folder exist/,
    },
    'an export onto a folder': {
      args: ['export', 'folder'],
      says: /The file folder cannot be written \((EISDIR|ENOTEMPTY)\)\./,
    },
    'an import of a folder': { args: ['import', 'folder'], says: /folder is a folder\.\n.*Name a file/ },
    'an import of a file whose export was cut off': {
      args: ['import', 'cut.ndjson'],
      says: /its export was interrupted and left cut\.ndjson\.part\.\n.*Export again/,
    },
  }
  for (const [name, { args, says }] of Object.entries(cases))
    it(`is reported: ${name}`, async () => {
      mkdirSync(inHome('folder'), { recursive: true })
      writeFileSync(inHome('cut.ndjson.part'), HEADER)
      const { code, stderr } = await run(args, await newEnvironment())
      assert.equal(code, 2)
      assert.match(stderr, says)
      assert.equal(stderr.trim().split('\n').length, 2)
      assert.ok(!existsSync(inHome('folder.part')))
    })

  it('is unchanged if an export is interrupted', async () => {
    writeFileSync(inHome('kept.ndjson'), 'before')
    const wrong = { ...(await newEnvironment()), COMMONHOLD_AUTH_TOKEN: 'wrong' }
    const { code } = await run(['export', 'kept.ndjson'], wrong)
    assert.equal(code, 3)
    assert.equal(readFileSync(inHome('kept.ndjson'), 'utf8'), 'before')
    assert.ok(!existsSync(inHome('kept.ndjson.part')))
  })
})
