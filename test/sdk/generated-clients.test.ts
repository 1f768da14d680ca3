/** Generators of clients for other languages understand the OpenAPI document: what they make compiles, and calls a server. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it, type TestContext } from 'vitest'
import { temporaryFolder } from '#testing/processes/process.ts'
import { run, whyMissing } from '#testing/processes/toolchain.ts'
import { patient } from '#testing/run/mode.ts'
import { sharedServer } from '#testing/server.ts'
import { ROOT } from '../../scripts/root.ts'

const PYTHON_GENERATOR = 'openapi-python-client==0.29.1'
const GO_GENERATOR = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
const GO_RUNTIME = 'github.com/oapi-codegen/runtime v1.8.0'
const DOCUMENT = path.join(ROOT, 'docs/reference/openapi.json')
const PROGRAMS = path.join(ROOT, 'test/sdk/generated-clients')
/** A generator is downloaded, and the Go one is compiled, where no cache has it. */
const TIMEOUT_MS = patient(900_000)

const server = await sharedServer()

/** The patterns of the document, which the programs compile. */
const patterns = [...readFileSync(DOCUMENT, 'utf8').matchAll(/"pattern": (".*")/g)].map(([, text = '']) =>
  JSON.parse(text),
)

/** What each of the programs prints, in lower case: languages write booleans differently. */
const PRINTED = `true
folders created successfully.
true
true
permissions added successfully.
true grant
false no_grant
true
blue
not-found
2
not_found organization_does_not_exist
`

async function environment(): Promise<NodeJS.ProcessEnv> {
  const { headers } = await server.newKey()
  return {
    ...process.env,
    PATTERNS: JSON.stringify(patterns),
    COMMONHOLD_URL: server.url,
    COMMONHOLD_API_KEY: headers['x-service-api-key'],
    COMMONHOLD_AUTH_TOKEN: headers['x-service-auth-token'],
  }
}

/** Skips the test where a toolchain is missing, or cannot download what it needs. */
async function unlessMissing(context: TestContext, what: string, install: Promise<unknown>): Promise<void> {
  const reason = await whyMissing(what, install)
  if (reason !== undefined) context.skip(reason)
}

describe('a generated client', () => {
  it.concurrent('for Python makes ten calls', { timeout: TIMEOUT_MS }, async (context) => {
    const folder = temporaryFolder()
    const inFolder = { cwd: folder, env: await environment() }
    await unlessMissing(context, 'Python', run('python3', ['-m', 'venv', 'venv'], inFolder))
    const bin = path.join(folder, 'venv/bin')
    await unlessMissing(context, PYTHON_GENERATOR, run(path.join(bin, 'pip'), ['install', PYTHON_GENERATOR], inFolder))
    const { stdout } = await run(
      path.join(bin, 'openapi-python-client'),
      ['generate', '--path', DOCUMENT, '--output-path', 'commonhold', '--meta', 'none', '--fail-on-warning'],
      { ...inFolder, env: { ...inFolder.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` } },
    )
    assert.doesNotMatch(stdout, /warning/i)
    await run(path.join(bin, 'python'), ['-m', 'compileall', '-q', 'commonhold'], inFolder)
    copyFileSync(path.join(PROGRAMS, 'ten_calls.py'), path.join(folder, 'ten_calls.py'))
    const calls = await run(path.join(bin, 'python'), ['ten_calls.py'], inFolder)
    assert.equal(calls.stdout.toLowerCase(), PRINTED)
  })

  it.concurrent('for Go makes ten calls', { timeout: TIMEOUT_MS }, async (context) => {
    const folder = temporaryFolder()
    const inFolder = { cwd: folder, env: { ...(await environment()), GOFLAGS: '-mod=mod' } }
    await unlessMissing(context, 'Go', run('go', ['version'], inFolder))
    await unlessMissing(context, GO_GENERATOR, run('go', ['run', GO_GENERATOR, '-version'], inFolder))
    mkdirSync(path.join(folder, 'commonhold'))
    writeFileSync(path.join(folder, 'go.mod'), `module example.com/calls\n\ngo 1.24\n\nrequire ${GO_RUNTIME}\n`)
    await unlessMissing(context, GO_RUNTIME, run('go', ['mod', 'download'], inFolder))
    const names = ['-package', 'commonhold', '-response-type-suffix', 'HTTPResponse']
    const output = ['-generate', 'types,client', '-o', 'commonhold/client.gen.go']
    await run('go', ['run', GO_GENERATOR, ...names, ...output, DOCUMENT], inFolder)
    copyFileSync(path.join(PROGRAMS, 'ten_calls.go'), path.join(folder, 'ten_calls.go'))
    await run('go', ['vet', './...'], inFolder)
    const calls = await run('go', ['run', '.'], inFolder)
    assert.equal(calls.stdout.toLowerCase(), PRINTED)
  })
})
