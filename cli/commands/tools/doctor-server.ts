/**
 * The outcome of a check of `doctor`, and the checks that need no credentials: the server, its version, whether it is
 * ready, and its clock.
 */

import { STARTING } from '#contract/core/status.ts'
import type { Connection } from '../../connection/connection.ts'
import type { Exit } from '../../exit-codes.ts'
import { TO_WAIT } from '../../failures.ts'
import { VERSION } from '../../version.ts'

type Outcome = 'ok' | 'warning' | 'failed' | 'skipped'

export interface Check {
  check: string
  outcome: Outcome
  says: string
  next?: string
  exit?: Exit
}

export const ok = (check: string, says: string): Check => ({ check, outcome: 'ok', says })
export const warning = (check: string, says: string, next: string): Check => ({ check, outcome: 'warning', says, next })
export const failed = (check: string, exit: Exit, says: string, next: string): Check => ({
  check,
  outcome: 'failed',
  says,
  next,
  exit,
})
export const skipped = (check: string, says: string): Check => ({ check, outcome: 'skipped', says })

const SKEW_SECONDS_MAX = 30
const RESPONSE_MS_MAX = 10_000

/** Returns whether the server can be called. */
export async function* checkServer({ url }: Connection): AsyncGenerator<Check, boolean> {
  const base = url.replace(/\/+$/, '')
  const response = await get(`${base}/version`)
  if (response.error !== undefined) {
    yield failed('server', 'unreachable', `No response from ${url}: ${response.error}.`, adviceFor(response.error))
    return false
  }
  const { version, engine, error } = (response.body ?? {}) as Partial<Record<'version' | 'engine', string>> & {
    error?: { requestId?: string; message?: string }
  }
  if (error?.requestId === STARTING) {
    yield failed('server', 'later', error.message ?? 'The server is starting.', TO_WAIT)
    return false
  }
  if (typeof version !== 'string' || typeof engine !== 'string') {
    const says = `The response (${response.status}) is not from Commonhold.`
    yield failed(
      'server',
      'unreachable',
      says,
      'Use the address of the server, without /v2. Is there a proxy in between?',
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
  if (Math.abs(skew) <= SKEW_SECONDS_MAX) return ok('clock', 'The same as the clock of the server.')
  const says = `The clock of the server is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the one here.`
  return failed(
    'clock',
    'no',
    says,
    'Synchronize both clocks with NTP: grants, user tokens and webhook messages expire by the second.',
  )
}

/** The response to a request without credentials, or the reason why there is none. */
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
