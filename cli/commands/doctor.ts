/** Is everything as it should be between here and the server? Each check says what to do when it fails. */
import type { Command } from 'commander'
import { CommonholdError } from '#sdk/errors.ts'
import { printJson } from '../answers.ts'
import { addCommand } from '../command.ts'
import { type Connection, environmentOf } from '../connection.ts'
import type { Exit } from '../exit-codes.ts'
import { reportOf } from '../failures.ts'
import { profilesFile, readProfiles } from '../profiles.ts'
import { coloured, plain, print, wrapped } from '../terminal.ts'
import { VERSION } from '../version.ts'

const SKEW_SECONDS_MAX = 30
const ANSWER_MS_MAX = 10_000

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
    summary: 'Check the way to the server, and the credentials; say what to do about each fault.',
    description:
      'Ends with 0 when nothing is wrong, otherwise with the code of the first fault: 2 the address, 3 credentials, 4 not reached, 6 not ready, 1 the clock.',
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

/** Of what stands beside the names of the checks. */
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
  const answers = yield* server(connection)
  if (!answers) return
  yield* credentials(connection)
}

/** Answers whether calls make sense. */
async function* server({ url }: Connection): AsyncGenerator<Check, boolean> {
  const base = url.replace(/\/+$/, '')
  const asked = await ask(`${base}/version`)
  if (asked.error !== undefined) {
    yield failed('server', 'unreachable', `Nothing answers at ${url}: ${asked.error}.`, wayOut(asked.error))
    return false
  }
  const { version, engine } = (asked.body ?? {}) as { version?: string; engine?: string }
  if (typeof version !== 'string' || typeof engine !== 'string') {
    const says = `Something answers ${asked.status}, but it is not Commonhold.`
    yield failed(
      'server',
      'unreachable',
      says,
      'The address is that of the server, without /v2. Is something in between, such as a proxy?',
    )
    return false
  }
  yield ok('server', `Commonhold ${version} on the ${engine} engine, in ${asked.ms} ms`)
  yield versions(version)
  yield await readiness(base)
  yield clocks(asked)
  return true
}

function wayOut(error: string): string {
  if (/ENOTFOUND|EAI_AGAIN/.test(error)) return 'Is the name right? There is no such host.'
  if (/ECONNREFUSED/.test(error)) return 'Is the server running, on this port? To start one here: commonhold serve'
  if (/CERT|SSL|TLS/i.test(error)) return 'The certificate is not trusted here; NODE_EXTRA_CA_CERTS names one that is.'
  return 'Is there a way from here: VPN, proxy, firewall?'
}

function versions(version: string): Check {
  const [major, minor] = version.split('.')
  const [ownMajor, ownMinor] = VERSION.split('.')
  if (major === ownMajor && minor === ownMinor) return ok('version', `${VERSION}, like the server`)
  return warning(
    'version',
    `This is ${VERSION}, the server ${version}.`,
    `Calls of the one may be unknown to the other: npx commonhold@${version}`,
  )
}

async function readiness(base: string): Promise<Check> {
  const { status, body, error } = await ask(`${base}/readyz`)
  if (status === 200) return ok('ready', 'The database answers, and the schema is the right one.')
  const why = (body as { why?: string } | undefined)?.why ?? error ?? `it answered ${status}`
  const next = /schema/.test(why)
    ? 'Bring the schema up to date: commonhold migrate-db'
    : 'The log of the server says more.'
  return failed('ready', 'later', why, next)
}

function clocks({ date, sentAt, ms }: Asked): Check {
  if (date === undefined) return skipped('clock', 'The server does not say what time it is.')
  const skew = Math.round((date - (sentAt + (ms ?? 0) / 2)) / 1_000)
  if (Math.abs(skew) <= SKEW_SECONDS_MAX) return ok('clock', 'Like that of the server.')
  const says = `The clock of the server is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the one here.`
  return failed(
    'clock',
    'no',
    says,
    'Let both keep time by NTP: user tokens and webhooks are good for a time, and grants end at a second.',
  )
}

interface Asked {
  status?: number
  body?: unknown
  error?: string
  ms?: number
  sentAt: number
  /** What time it is there. */
  date?: number
}

async function ask(url: string): Promise<Asked> {
  const sentAt = Date.now()
  const started = performance.now()
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS_MAX) })
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
  if (connection.has('apiKey')) {
    yield await tried('api key', connection, async () => {
      const { ownerEmail } = await connection.forKey().keyConfig.get()
      const environment = environmentOf(connection.apiKey ?? '') ?? 'unknown'
      return `${connection.apiKey}, ${environment}, of ${ownerEmail}`
    })
    yield await tried('scopes', connection, async () => {
      await connection.forKey().events.list({ pageSize: 1 })
      return 'The auth token may do everything.'
    })
  } else yield skipped('api key', 'There is none here: COMMONHOLD_API_KEY and COMMONHOLD_AUTH_TOKEN, or a profile.')
  if (connection.has('workspace'))
    yield await tried('workspace', connection, async () => {
      const { id, name } = await connection.forWorkspace().workspaces.get()
      return `${id} ${name}`
    })
  else
    yield skipped(
      'workspace',
      'There is none here: COMMONHOLD_WORKSPACE_ID and COMMONHOLD_WORKSPACE_TOKEN, or a profile.',
    )
}

async function tried(check: string, { source }: Connection, run: () => Promise<string>): Promise<Check> {
  try {
    return ok(check, await run())
  } catch (error) {
    if (error instanceof CommonholdError && error.status === 'PERMISSION_DENIED')
      return warning(check, error.message, 'Fine, if that is all it is for. A token with more: commonhold token create')
    return faultOf(check, error, source)
  }
}

function faultOf(check: string, error: unknown, source = ''): Check {
  const { message, next = '', exitCode } = reportOf(error, source)
  return failed(
    check,
    exitCode === 4 ? 'unreachable' : exitCode === 3 ? 'credentials' : exitCode === 2 ? 'usage' : 'no',
    message,
    next,
  )
}
