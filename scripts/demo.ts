/**
 * `npm run demo`: a workspace with the data of a sample company. Uses the running server of this folder or at `--url`.
 * If none runs, it starts a server of its own, whose data have a past of three months, and keeps it running.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { CommonholdError } from '#sdk/index.ts'
import { DEFAULT_URL } from '../cli/connection/connection.ts'
import { localServerUrl, signupTokenFor } from '../cli/connection/local-server.ts'
import { makeDemo } from './demo/make-demo.ts'
import { MISTAKES, type Mistake } from './demo/mistakes.ts'
import { type Credentials, makeOwnDemo, serveDemo } from './demo/own-server.ts'
import { ROOT } from './root.ts'

const LOOK_MS = 1_000
const OWN_FOLDER = path.join(ROOT, 'demo-data')

const say = (text = ''): unknown => process.stdout.write(`${text}\n`)
const step = (done: string): unknown => say(`  ${done}`)

/** Returns the address of the server of this folder; undefined if none responds. */
async function runningServer(): Promise<string | undefined> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const { COMMONHOLD_URL, HOST = '127.0.0.1', PORT } = process.env
  const configured = PORT === undefined ? undefined : `http://${HOST}:${PORT}`
  for (const candidate of [COMMONHOLD_URL, localServerUrl(process.env), configured, DEFAULT_URL]) {
    if (candidate === undefined || candidate === '') continue
    const answer = await fetch(`${candidate}/version`, { signal: AbortSignal.timeout(LOOK_MS) }).catch(() => undefined)
    if (answer?.ok) return candidate
  }
  return undefined
}

async function fill(server: string): Promise<void> {
  say(`Filling ${server}. Its clock is the present: everything in the demo happens today.`)
  const headerPrefix = process.env.COMMONHOLD_HEADER_PREFIX || process.env.HEADER_PREFIX || undefined
  const options = { url: server, headerPrefix, signupToken: signupTokenFor(server, process.env) }
  printSummary(server, await makeDemo(options, step))
}

async function serveOwn(): Promise<void> {
  if (existsSync(path.join(OWN_FOLDER, 'demo.json')))
    say('Opening the demo in ./demo-data; delete that folder for a new one.')
  else {
    say('No server runs here, so the demo gets its own, in ./demo-data, with a past of three months.')
    rmSync(OWN_FOLDER, { recursive: true, force: true })
    mkdirSync(OWN_FOLDER, { mode: 0o700 })
  }
  const credentials = await makeOwnDemo(OWN_FOLDER, step)
  const { HOST = '127.0.0.1', PORT = '8080' } = process.env
  printSummary(`http://${HOST}:${PORT}`, credentials)
  await serveDemo(OWN_FOLDER)
}

function printSummary(url: string, { workspaceId, workspaceToken, apiKey, authToken }: Credentials): void {
  say(`
The demo contains these mistakes. The “Why” view of the console explains each of them.
`)
  Object.values<Mistake>(MISTAKES).forEach(({ says, ask }, index) => {
    say(`  ${String(index + 1).padStart(2)}. ${says}`)
    if (ask === undefined) return
    const { type, id, organizationId } = ask.resource
    say(`      ${ask.userId} → ${type} ${id}${organizationId === undefined ? '' : ` of ${organizationId}`}`)
  })
  say(`
Sign in at ${url}/console as the owner of the workspace:

  Workspace        ${workspaceId}
  Workspace token  ${workspaceToken}

or with the API key of the company:

  API key          ${apiKey}
  Auth token       ${authToken}
`)
}

/** Returns an error message for the user of the command. */
function explain(error: unknown, url: string | undefined): string {
  if (error instanceof CommonholdError && error.reason === 'unreachable')
    return `No server answers at ${url}. Start one with \`npm start\` and leave it running, or omit --url.`
  return error instanceof Error ? error.message : String(error)
}

let given: string | undefined
try {
  given = parseArgs({ options: { url: { type: 'string' } } }).values.url?.replace(/\/+$/, '')
  const url = given ?? (await runningServer())
  await (url === undefined ? serveOwn() : fill(url))
} catch (error) {
  process.stderr.write(`${explain(error, given)}\n`)
  process.exitCode = 1
}
