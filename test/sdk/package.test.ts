/** The published package of the client: packed and installed into an empty project, where its README is run and type-checked. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { describe, it } from 'vitest'
import { blocksOf } from '#testing/pages/blocks.ts'
import { STRICTEST } from '#testing/pages/strictest.ts'
import { OFFLINE_NPM } from '#testing/processes/package.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { olderNode } from '#testing/processes/toolchain.ts'
import { patient } from '#testing/run/mode.ts'
import { sharedServer } from '#testing/server.ts'
import { ROOT } from '../../scripts/root.ts'

const PAGE = 'sdk/README.md'
const BUNDLE_BYTES_MAX = 25_500

const server = await sharedServer()
const { headers } = await server.newKey()
const project = temporaryFolder()

const run = promisify(execFile)
/** The Node and the npm of the checkout, without a network. */
const environment = {
  ...process.env,
  PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
  ...OFFLINE_NPM,
  COMMONHOLD_URL: server.url,
  COMMONHOLD_API_KEY: headers['x-service-api-key'],
  COMMONHOLD_AUTH_TOKEN: headers['x-service-auth-token'],
}
const inProject = (command: string, ...args: string[]) => run(command, args, { cwd: project, env: environment })

const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project], {
  cwd: path.join(ROOT, 'sdk'),
  env: environment,
})
const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string; files: { path: string }[] }]
writeFileSync(path.join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
await inProject('npm', 'install', `./${packed.filename}`)
const installed = path.join(project, 'node_modules/@commonhold/client')

/** Returns the text of the block of a language. */
const blockOf = (language: string): string =>
  blocksOf(readFileSync(path.join(ROOT, PAGE), 'utf8')).find((block) => block.language === language)?.content ?? ''

describe('the package', () => {
  it('has the code, its types, a README and a licence, and nothing else', () => {
    const names = packed.files.map((file) => file.path)
    assert.deepEqual(names.filter((name) => !name.startsWith('dist/')).toSorted(), [
      'LICENSE',
      'README.md',
      'package.json',
    ])
    assert.deepEqual(
      names.filter((name) => name.startsWith('dist/') && !/\.(js|d\.ts)$/.test(name)),
      [],
    )
    assert.ok(!names.some((name) => name.includes('.test.')))
  })

  it('has the version of the server, and no dependencies', () => {
    const ours = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
    const its = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'))
    assert.equal(its.version, ours.version)
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) assert.equal(its[kind], undefined)
  })

  it(`has less than ${BUNDLE_BYTES_MAX} bytes as one minified bundle for any platform`, async () => {
    const { outputFiles } = await build({
      stdin: { contents: "export * from '@commonhold/client'", resolveDir: project },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'neutral',
      target: 'es2024',
      write: false,
    })
    const bytes = outputFiles[0]?.contents.length ?? 0
    assert.ok(bytes > 10_000 && bytes < BUNDLE_BYTES_MAX, `${bytes} bytes`)
  })

  it('lets bundlers remove unused code', async () => {
    const { outputFiles } = await build({
      stdin: { contents: "import { verifyWebhook } from '@commonhold/client'; verifyWebhook()", resolveDir: project },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'neutral',
      write: false,
    })
    assert.ok((outputFiles[0]?.contents.length ?? 0) < 3_000)
  })
})

const { engines } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'))
const older = olderNode(Number.parseInt(engines.node.replace('>=', ''), 10))

describe.skipIf(older === undefined)('on an older Node (skipped where PATH has none)', () => {
  const runOlder = async (code: string) => {
    writeFileSync(path.join(project, 'older.mjs'), code)
    return inProject(older ?? '', 'older.mjs')
  }

  it('the client calls, checks and reports errors', async () => {
    const { stdout } = await runOlder(`
      import { CommonholdError, createClient } from '@commonhold/client'
      const { COMMONHOLD_URL: url, COMMONHOLD_API_KEY: apiKey, COMMONHOLD_AUTH_TOKEN: authToken } = process.env
      const client = createClient({ url, apiKey, authToken })
      const resource = { type: 'organization', id: 'older' }
      await client.grant({ userId: 'ada', resource, accessRole: 'viewer' })
      const checks = ['ada', 'bob', ' '].map((userId) => client.check({ userId, resource }, { signal: AbortSignal.timeout(${patient(60_000)}) }))
      for (const { value, reason } of await Promise.allSettled(checks))
        console.log(value?.allowed ?? (reason instanceof CommonholdError && reason.faults[0].field))
    `)
    assert.equal(stdout, 'true\nfalse\nuserId\n')
  })

  it('the test server starts with the Node that is installed with it', async () => {
    const { stdout } = await runOlder(`
      import { startTestServer } from '@commonhold/client/testing'
      const program = ${JSON.stringify(path.join(ROOT, 'cli/dist/cli.js'))}
      const server = await startTestServer({ program, clock: '2030-01-01T00:00:00Z' })
      const { client, remove } = await server.newKey()
      await server.setTime('2030-02-01T00:00:00Z')
      console.log(await client.organizations.get())
      await remove()
      await server.stop()
    `)
    assert.equal(stdout, '[]\n')
  })
})

describe(`the program of ${PAGE}`, () => {
  writeFileSync(path.join(project, 'page.ts'), blockOf('ts'))

  it('prints what the page shows', async () => {
    const { stdout, stderr } = await inProject(process.execPath, 'page.ts')
    assert.deepEqual([stdout, stderr], [blockOf('text'), ''])
  })

  for (const [name, lib] of [
    ['with the types of Node', ['es2023']],
    ['with those of browsers too', ['es2023', 'dom', 'dom.iterable']],
  ] as const)
    it(`is checked against the declarations of the package, ${name}`, async () => {
      const types = { types: ['node'], typeRoots: [path.join(ROOT, 'node_modules/@types')] }
      const compilerOptions = { ...STRICTEST, target: 'es2023', module: 'nodenext', noEmit: true, lib, ...types }
      writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['page.ts'] }))
      const { stdout } = await inProject(process.execPath, path.join(ROOT, 'node_modules/typescript/bin/tsc')).catch(
        (failure: { stdout: string }) => failure,
      )
      assert.equal(stdout, '')
    })
})
