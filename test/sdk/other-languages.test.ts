/**
 * The clients for Python and Go are generated from the present OpenAPI document and pass the checks of their languages,
 * and the tour of the guides runs with each, against the server. Their tests are in `clients/`. Their READMEs and
 * docs/guides/use-another-language.md have programs.
 */
import assert from 'node:assert/strict'
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { blocksOf } from '#testing/pages/blocks.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { run, whyMissing } from '#testing/processes/toolchain.ts'
import { patient } from '#testing/run/mode.ts'
import { sharedServer } from '#testing/server.ts'
import { ROOT } from '../../scripts/root.ts'

const DOCUMENT = 'docs/reference/openapi.json'
/** Generators and checkers are downloaded if no cache has them. */
const TIMEOUT_MS = patient(900_000)

const server = await sharedServer()

/** Copies a client and the document to the same paths in a new folder, and returns the folder of the client. */
function copied(client: string): string {
  const root = temporaryFolder()
  mkdirSync(path.join(root, path.dirname(DOCUMENT)), { recursive: true })
  copyFileSync(path.join(ROOT, DOCUMENT), path.join(root, DOCUMENT))
  const folder = path.join(root, client)
  cpSync(path.join(ROOT, client), folder, { recursive: true, filter: (file) => !file.endsWith('/commonhold/v2') })
  return folder
}

const { headers } = await server.newKey()
const withServer = {
  ...process.env,
  COMMONHOLD_URL: server.url,
  COMMONHOLD_API_KEY: headers['x-service-api-key'],
  COMMONHOLD_AUTH_TOKEN: headers['x-service-auth-token'],
}

const GUIDE = path.join(ROOT, 'docs/guides/use-another-language.md')

function writeProgram(file: string, page: string, language: string): void {
  const program = blocksOf(readFileSync(page, 'utf8')).find((block) => block.language === language)
  writeFileSync(file, program?.content ?? '')
}

describe('the client', () => {
  it.concurrent('for Python is clean under ruff and mypy, and its package runs the tour', {
    timeout: TIMEOUT_MS,
  }, async (context) => {
    const folder = copied('clients/python')
    const options = { cwd: folder, env: withServer }
    const missing = await whyMissing('Python', run('python3', ['-m', 'venv', 'venv'], options))
    if (missing !== undefined) context.skip(missing)
    const bin = (name: string) => path.join(folder, 'venv/bin', name)
    const tools = await whyMissing(
      'the generator',
      run(bin('pip'), ['install', '--quiet', '.[dev]', 'hatchling==1.33.0'], options),
    )
    if (tools !== undefined) context.skip(tools)
    await run(bin('python'), ['generate.py'], options)
    await run(bin('ruff'), ['check', '.', '--exclude', 'venv'], options)
    await run(bin('ruff'), ['format', '--check', '.', '--exclude', 'venv'], options)
    await run(bin('mypy'), [], options)

    // Installs the packed file, without the sources beside it.
    await run(bin('hatchling'), ['build', '--target', 'wheel'], options)
    const [wheel = ''] = globSync('dist/*.whl', { cwd: folder })
    await run(bin('pip'), ['install', '--quiet', '--force-reinstall', '--no-deps', wheel], options)
    const elsewhere = temporaryFolder()
    cpSync(path.join(folder, 'tests'), path.join(elsewhere, 'tests'), { recursive: true })
    const { stderr } = await run(bin('python'), ['-m', 'unittest', 'discover', '-s', 'tests'], {
      ...options,
      cwd: elsewhere,
    })
    assert.match(stderr, /\nRan 19 tests in .*\n\nOK\n$/)

    for (const page of [path.join(folder, 'README.md'), GUIDE]) {
      writeProgram(path.join(elsewhere, 'first.py'), page, 'python')
      const { stdout } = await run(bin('python'), ['first.py'], { ...options, cwd: elsewhere })
      assert.equal(stdout, 'True\n')
    }
  })

  it.concurrent('for Go matches the document, is clean under gofmt and vet, and runs the tour', {
    timeout: TIMEOUT_MS,
  }, async (context) => {
    const folder = copied('clients/go')
    const options = { cwd: folder, env: withServer, maxBuffer: 1 << 26 }
    const missing = await whyMissing('Go', run('go', ['mod', 'download'], options))
    if (missing !== undefined) context.skip(missing)
    const generator = await whyMissing('the generator', run('go', ['generate', './...'], options))
    if (generator !== undefined) context.skip(generator)
    const generated = (root: string) => readFileSync(path.join(root, 'operations.gen.go'), 'utf8')
    assert.ok(generated(folder) === generated(path.join(ROOT, 'clients/go')), 'run `go generate ./...` in clients/go')
    assert.equal((await run('gofmt', ['-l', '.'], options)).stdout, '')
    await run('go', ['vet', './...'], options)
    const { stdout } = await run('go', ['test', '-count=1', '-v', './...'], options)
    assert.match(stdout, /^--- PASS: TestTour/m)
    assert.doesNotMatch(stdout, /^--- (?:FAIL|SKIP)/m)

    const project = temporaryFolder()
    const module = `module example.com/first\n\ngo 1.24\n\nrequire commonhold v0.0.0\nreplace commonhold => ${folder}\n`
    writeFileSync(path.join(project, 'go.mod'), module)
    for (const page of [path.join(folder, 'README.md'), GUIDE]) {
      writeProgram(path.join(project, 'main.go'), page, 'go')
      const first = await run('go', ['run', '-mod=mod', '.'], { ...options, cwd: project })
      assert.equal(first.stdout, 'true\n')
    }
  })
})
