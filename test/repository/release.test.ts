/**
 * `npm run release` makes the same bytes twice, and its packages work in an empty folder: installed by an older npm, run by an
 * older and by the pinned Node, and type-checked under the strictest options.
 */
import assert from 'node:assert/strict'
import { cpSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { STRICTEST } from '#testing/pages/strictest.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { olderNode, run, whyMissing } from '#testing/processes/toolchain.ts'
import { patient } from '#testing/run/mode.ts'
import { ROOT } from '../../scripts/root.ts'
import { read } from './sources.ts'

const TIMEOUT_MS = patient(900_000)
const { version } = JSON.parse(read('package.json'))

const REPOSITORY = 'git+https://forge.example/acme/commonhold.git'

const release = async (folder: string, checkout = ROOT): Promise<string> =>
  (await run(process.execPath, ['scripts/release.ts', folder, '--repository', REPOSITORY], { cwd: checkout })).stdout

const [first, second] = [temporaryFolder(), temporaryFolder()]
const unreachable = await whyMissing('a registry', run('npm', ['ping']))
const printed = unreachable === undefined ? await release(first) : ''
const sums = (folder: string) => readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8')

/** A program that an older Node runs as JavaScript, and the compiler checks as TypeScript. */
const PROGRAM = `
import { CommonholdError, createClient } from '@commonhold/client'
const { COMMONHOLD_URL: url = '', COMMONHOLD_API_KEY: apiKey = '', COMMONHOLD_AUTH_TOKEN: authToken = '' } = process.env
const client = createClient({ url, apiKey, authToken })
const documents = ['roadmap', 'budget'].map((documentId) => ({ documentId }))
await client.documents.add({ organizationId: 'acme', createOrganization: true, documents })
for await (const { data } of client.documents.get.pages({ organizationId: 'acme', pageSize: 1 }))
  for (const { id } of data) console.log(id)
await client.folders.get({ organizationId: 'nobody' }).catch((error) => {
  if (!(error instanceof CommonholdError)) throw error
  console.log(error.reason)
})
`
const PRINTED = 'budget\nroadmap\norganization_does_not_exist\n'

/** A program of a page, for the compiler alone. */
const PAGE = `
import { configure, ENGLISH } from '@commonhold/comments'
configure({ url: 'http://127.0.0.1:8080', token: async () => '', texts: { comments: ENGLISH.reply } })
`

describe.skipIf(unreachable !== undefined)(`a release (${unreachable ?? 'from the registries'})`, () => {
  it('has the same bytes the second time, from a checkout in another folder', { timeout: TIMEOUT_MS }, async () => {
    const elsewhere = path.join(temporaryFolder(), 'deeper/checkout')
    cpSync(ROOT, elsewhere, { recursive: true, verbatimSymlinks: true })
    await release(second, elsewhere)
    assert.equal(sums(second), sums(first))
  })

  it('consists of packages, chart, image and bill of materials, with their sizes and checksums', async () => {
    const names = [
      `chart/commonhold-chart-${version}.tgz`,
      `commonhold-${version}.cdx.json`,
      `image/commonhold-image-${version}.tgz`,
      ...['', '-client', '-comments'].map((name) => `npm/commonhold${name}-${version}.tgz`),
    ]
    assert.deepEqual(globSync('**/*.*', { cwd: first }).sort(), [...names].sort())
    assert.deepEqual(
      printed
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ', 1)[0])
        .sort(),
      [...names].sort(),
    )
    await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: first })
  })

  it('lists in its bill of materials what the packages contain and the server needs, and nothing that only tests use', () => {
    const { bomFormat, components, metadata } = JSON.parse(
      readFileSync(path.join(first, `commonhold-${version}.cdx.json`), 'utf8'),
    )
    assert.deepEqual(
      [bomFormat, metadata.component.name, metadata.component.version],
      ['CycloneDX', 'commonhold', version],
    )
    const names: string[] = components.map(({ name }: { name: string }) => name)
    for (const name of Object.keys(JSON.parse(read('package.json')).dependencies)) assert.ok(names.includes(name), name)
    for (const name of ['react', '@mantine/core', 'lit', 'lit-html']) assert.ok(names.includes(name), name)
    for (const name of ['vitest', 'playwright-core', 'typescript', '@biomejs/biome'])
      assert.ok(!names.includes(name), name)
    for (const { name, licenses } of components) assert.ok(licenses?.length > 0, name)
  })

  it('names its repository in every package', async () => {
    for (const file of globSync('npm/*.tgz', { cwd: first })) {
      const { stdout } = await run('tar', ['-xzOf', path.join(first, file), 'package/package.json'])
      const { repository, license, publishConfig } = JSON.parse(stdout)
      assert.equal(repository.url, REPOSITORY)
      assert.deepEqual([license, publishConfig], ['Apache-2.0', { access: 'public', provenance: true }])
    }
  })

  it('installs into an empty folder by an older npm, where it serves, calls and type-checks', {
    timeout: TIMEOUT_MS,
  }, async (context) => {
    const project = temporaryFolder()
    const older = olderNode(20) ?? process.execPath
    const env = { ...process.env, PATH: [path.dirname(older), process.env.PATH].join(path.delimiter), HOME: project }
    const options = { cwd: project, env }
    writeFileSync(path.join(project, 'package.json'), '{"private": true, "type": "module"}')
    const files = globSync('npm/*.tgz', { cwd: first }).map((file) => path.join(first, file))
    const cache = (await run('npm', ['config', 'get', 'cache'])).stdout.trim()
    const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--cache', cache]
    const missing = await whyMissing('a registry', run('npm', ['install', ...quiet, ...files], options))
    if (missing !== undefined) context.skip(missing)
    assert.deepEqual(readdirSync(path.join(project, 'node_modules/@commonhold')), ['client', 'comments'])

    writeFileSync(path.join(project, 'use.js'), PROGRAM)
    for (const node of [older, process.execPath]) {
      const { stdout } = await run('npx', ['commonhold', 'dev', '--', node, 'use.js'], options)
      assert.equal(stdout, PRINTED, node)
    }

    writeFileSync(path.join(project, 'use.ts'), PROGRAM)
    writeFileSync(path.join(project, 'page.ts'), PAGE)
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc')
    for (const [module, moduleResolution] of Object.entries({ nodenext: 'nodenext', esnext: 'bundler' })) {
      const compilerOptions = {
        ...{ module, moduleResolution, target: 'esnext', lib: ['esnext', 'dom', 'dom.iterable'], noEmit: true },
        ...{ types: ['node'], typeRoots: [path.join(ROOT, 'node_modules/@types')] },
        ...STRICTEST,
      }
      writeFileSync(
        path.join(project, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, files: ['use.ts', 'page.ts'] }),
      )
      const { stdout } = await run(process.execPath, [compiler], options).catch(
        (failure: { stdout: string }) => failure,
      )
      assert.equal(stdout, '', module)
    }
  })
})
