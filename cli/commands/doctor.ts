/** `doctor`: checks the connection to the server and the credentials, and says how to fix each fault. */
import type { Command } from 'commander'
import { CommonholdError } from '#sdk/errors.ts'
import { addCommand } from '../command.ts'
import type { Connection } from '../connection.ts'
import { environmentOf } from '../credentials.ts'
import type { Exit } from '../exit-codes.ts'
import { type CallSource, reportOf } from '../failures.ts'
import { printJson } from '../output.ts'
import { profilesFile, readProfiles } from '../profiles.ts'
import { personOf, signInCalls } from '../sign-in.ts'
import { coloured, plain, print, wrapped } from '../terminal.ts'
import { VERSION } from '../version.ts'

const SKEW_SECONDS_MAX = 30
const RESPONSE_MS_MAX = 10_000

type Outcome = 'ok' | 'warning' | 'failed' | 'skipped'

interface Check {
  check: string
  outcome: Outcome
  says: string
  next?: string
  exit?: Exit
}

const ok = (check: string, says: string): Check => ({ check, outcome: 'ok', says })
const warning = (check: string, says: string, next: string): Check => ({ check, outcome: 'warning', says, next })
const failed = (check: string, exit: Exit, says: string, next: string): Check => ({
  check,
  outcome: 'failed',
  says,
  next,
  exit,
})
const skipped = (check: string, says: string): Check => ({ check, outcome: 'skipped', says })

export function addDoctor(program: Command): void {
  addCommand(program, 'doctor', {
    summary: 'Check the connection to the server and the credentials, and say how to fix each fault.',
    description:
      'Exits with 0 if nothing is wrong, otherwise with the code of the first fault: 2 the address, 3 the credentials, 4 unreachable, 6 not ready, 1 the clock.',
    examples: ['commonhold doctor', 'commonhold doctor --profile production --json'],
    async run({ options, connection }) {
      const checks: Check[] = []
      for await (const check of examine(connection)) {
        checks.push(check)
        if (options.json !== true) show(check)
      }
      const fault = checks.find(({ outcome }) => outcome === 'failed')
      if (options.json === true) printJson({ ok: fault === undefined, checks })
      return fault?.exit ?? 'done'
    },
  })
}

/** The width of the mark and the name of a check. */
const INDENT = 15

const MARKS = { ok: ['green', '✓'], warning: ['yellow', '!'], failed: ['red', '✗'], skipped: ['dim', '-'] } as const

function show({ check, outcome, says, next }: Check): void {
  const [colour, mark] = MARKS[outcome]
  const written = (text: string, indent: number) => wrapped(plain(text), indent, process.stdout)
  print(`${coloured(colour, mark)} ${coloured('bold', check.padEnd(12))} ${written(says, INDENT)}`)
  if (next !== undefined) print(`${' '.repeat(INDENT)}${coloured('cyan', '→')} ${written(next, INDENT + 2)}`)
}

async function* examine(connect: () => Connection): AsyncGenerator<Check> {
  let connection: Connection
  try {
    yield ok('profiles', `${Object.keys(readProfiles().profiles).length} in ${profilesFile()}`)
  } catch (error) {
    yield faultOf('profiles', error)
    return
  }
  try {
    connection = connect()
  } catch (error) {
    yield faultOf('address', error)
    return
  }
  yield ok('address', connection.source)
  const isReachable = yield* server(connection)
  if (!isReachable) return
  yield* credentials(connection)
}

/** Returns whether the server can be called. */
async function* server({ url }: Connection): AsyncGenerator<Check, boolean> {
  const base = url.replace(/\/+$/, '')
  const response = await get(`${base}/version`)
  if (response.error !== undefined) {
    yield failed('server', 'unreachable', `No response from ${url}: ${response.error}.`, adviceFor(response.error))
    return false
  }
  const { version, engine } = (response.body ?? {}) as { version?: string; engine?: string }
  if (typeof version !== 'string' || typeof engine !== 'string') {
    const says = `The response (${response.status}) is not from Commonhold.`
    yield failed(
      'server',
      'unreachable',
      says,
      'The address must be that of the server, without /v2. Is there a proxy in between?',
    )
    return false
  }
  yield ok('server', `Commonhold ${version} on the ${engine} engine, in ${response.ms} ms`)
  yield versions(version)
  yield await readiness(base)
  yield clocks(response)
  return true
}

function adviceFor(error: string): string {
  if (/ENOTFOUND|EAI_AGAIN/.test(error)) return 'There is no such host: is the name right?'
  if (/ECONNREFUSED/.test(error)) return 'Is the server running, on this port? To start one here: commonhold serve'
  if (/CERT|SSL|TLS/i.test(error))
    return 'This machine does not trust the certificate. NODE_EXTRA_CA_CERTS adds a certificate authority.'
  return 'Can this machine reach the server: VPN, proxy, firewall?'
}

function versions(version: string): Check {
  const [major, minor] = version.split('.')
  const [ownMajor, ownMinor] = VERSION.split('.')
  if (major === ownMajor && minor === ownMinor) return ok('version', `${VERSION}, the same as the server`)
  return warning(
    'version',
    `This is version ${VERSION}, and the server is ${version}.`,
    `Some calls may be missing in one of them. To have all of them, install version ${version} here.`,
  )
}

async function readiness(base: string): Promise<Check> {
  const { status, body, error } = await get(`${base}/readyz`)
  if (status === 200) return ok('ready', 'The database responds, and its schema is up to date.')
  const why = (body as { why?: string } | undefined)?.why ?? error ?? `The response was ${status}.`
  const next = /schema/.test(why) ? 'To update the schema: commonhold migrate-db' : 'See the log of the server.'
  return failed('ready', 'later', why, next)
}

function clocks({ date, sentAt, ms }: Probe): Check {
  if (date === undefined) return skipped('clock', 'The server does not send its time.')
  const skew = Math.round((date - (sentAt + (ms ?? 0) / 2)) / 1_000)
  if (Math.abs(skew) <= SKEW_SECONDS_MAX) return ok('clock', 'The same as that of the server.')
  const says = `The clock of the server is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the one here.`
  return failed(
    'clock',
    'no',
    says,
    'Synchronize both clocks with NTP: grants, user tokens and webhook messages expire by the second.',
  )
}

/** The response to a request without credentials, or why there is none. */
interface Probe {
  status?: number
  body?: unknown
  error?: string
  ms?: number
  sentAt: number
  /** The time of the server. */
  date?: number
}

async function get(url: string): Promise<Probe> {
  const sentAt = Date.now()
  const started = performance.now()
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(RESPONSE_MS_MAX) })
    const date = Date.parse(response.headers.get('date') ?? '')
    const body = await response.json().catch(() => undefined)
    const ms = Math.round(performance.now() - started)
    return { status: response.status, body, ms, sentAt, ...(Number.isNaN(date) ? {} : { date }) }
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string; message?: string } }
    return { error: cause?.code ?? cause?.message ?? message, sentAt }
  }
}

async function* credentials(connection: Connection): AsyncGenerator<Check> {
  const { session, server } = connection
  if (session !== undefined)
    yield await tried('person', connection, async () => {
      const { operator, endsAt } = await signInCalls(server).whoIsSignedIn(session.secret)
      return `${personOf(operator)}, ${operator.role}, until ${new Date(endsAt).toISOString()}`
    })
  if (connection.has('apiKey')) {
    yield await tried('api key', connection, async () => {
      const { ownerEmail } = await connection.forKey().keyConfig.get()
      const environment = environmentOf(connection.apiKey ?? '') ?? 'unknown'
      return `${connection.apiKey}, ${environment}, of ${ownerEmail}`
    })
    yield await defaultAccess(connection)
    if (session === undefined)
      yield await tried('scopes', connection, async () => {
        await connection.forKey().events.list({ pageSize: 1 })
        return 'The auth token has all scopes.'
      })
  } else
    yield skipped(
      'api key',
      'None set: use commonhold login, or COMMONHOLD_API_KEY and COMMONHOLD_AUTH_TOKEN, or a profile.',
    )
  if (connection.has('workspace'))
    yield await tried('workspace', connection, async () => {
      const { id, name } = await connection.forWorkspace().workspaces.get()
      return `${id} ${name}`
    })
  else
    yield skipped(
      'workspace',
      'None set: use commonhold login, or COMMONHOLD_WORKSPACE_ID and COMMONHOLD_WORKSPACE_TOKEN, or a profile.',
    )
}

/** Warns when documents are open to everyone unless somebody restricts them. */
async function defaultAccess(connection: Connection): Promise<Check> {
  try {
    const { defaultDocumentAccessType, defaultAccessRole } = await connection.forKey().keyConfig.get()
    if (defaultDocumentAccessType !== 'public') return ok('access', `The default is ${defaultDocumentAccessType}.`)
    return warning(
      'access',
      `The default is public: every user of the key can ${defaultAccessRole === 'viewer' ? 'view' : 'edit'} documents and folders without an access type of their own.`,
      'This is fine if it is meant. Otherwise: commonhold settings set --default-access restricted',
    )
  } catch {
    return skipped('access', 'The settings of the key could not be read.')
  }
}

async function tried(check: string, connection: Connection, run: () => Promise<string>): Promise<Check> {
  try {
    return ok(check, await run())
  } catch (error) {
    if (error instanceof CommonholdError && error.status === 'PERMISSION_DENIED')
      return warning(
        check,
        error.explanation,
        'This is fine if the token is meant to be limited. To create one with more scopes: commonhold token create',
      )
    return faultOf(check, error, connection)
  }
}

function faultOf(check: string, error: unknown, source?: CallSource): Check {
  const { message, next = '', exitCode } = reportOf(error, source)
  return failed(
    check,
    exitCode === 4 ? 'unreachable' : exitCode === 3 ? 'credentials' : exitCode === 2 ? 'usage' : 'no',
    message,
    next,
  )
}
