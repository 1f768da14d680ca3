/** Batches single access checks: checks requested one by one are sent in one call. */
import { orAborted } from './aborting.ts'
import { bodyOf, call } from './call.ts'
import type { Caller } from './caller.ts'
import { CommonholdError, type Fault, renamed } from './errors.ts'
import { METHODS } from './generated/methods.ts'
import type { CheckPermissionsData, Decision } from './generated/operations.ts'

export type Question = CheckPermissionsData['checks'][number]

export type CheckMethod = (question: Question, options?: { signal?: AbortSignal | undefined }) => Promise<Decision>

/** A check without a decision yet. Equal questions share one, so each is sent once. */
interface Pending {
  question: Question
  decision: Promise<Decision>
  resolve(decision: Decision): void
  reject(error: unknown): void
}

const QUESTIONS_MAX = 1_000

/** Runs a function one turn of the event loop later: by then every check that could be requested in this turn is. */
const runNextTurn: (run: () => void) => void =
  (globalThis as { setImmediate?: (run: () => void) => void }).setImmediate ?? ((run) => setTimeout(run, 0))

export function coalesceChecks(caller: Caller): CheckMethod {
  let queue = new Map<string, Pending>()

  function flush(): void {
    const pending = [...queue.values()]
    queue = new Map()
    for (let start = 0; start < pending.length; start += QUESTIONS_MAX)
      void send(caller, pending.slice(start, start + QUESTIONS_MAX))
  }

  return async (question, { signal } = {}) => {
    signal?.throwIfAborted()
    const key = bodyOf('check', question) // a check that cannot be sent does not fail the others
    if (queue.size === 0) runNextTurn(flush)
    const pending = queue.get(key) ?? newPending(question)
    queue.set(key, pending)
    return orAborted(pending.decision, signal)
  }
}

function newPending(question: Question): Pending {
  const pending = { question } as Pending
  pending.decision = new Promise((resolve, reject) => Object.assign(pending, { resolve, reject }))
  pending.decision.catch(() => {}) // an aborted caller no longer handles the rejection
  return pending
}

/**
 * Sends checks in one call. The server refuses the whole call for a fault in one check, so the others are sent again
 * without it.
 */
async function send(caller: Caller, pending: readonly Pending[]): Promise<void> {
  try {
    const { data } = await call(caller, 'check', METHODS.apiKey.permissions.check, {
      checks: pending.map(({ question }) => question),
    })
    const { checks } = data as { checks: readonly Decision[] }
    for (const [index, { resolve, reject }] of pending.entries()) {
      const decision = checks[index]
      if (decision === undefined) reject(new TypeError('check: the server returned fewer decisions than checks sent'))
      else resolve(decision)
    }
  } catch (error) {
    await Promise.all(rejectFaulty(pending, error).map((group) => send(caller, group)))
  }
}

/** Reasons for which a call is refused because of one check, without naming it. */
const UNLOCATED_REASONS = ['other_user', 'body_too_large']

/** Rejects the checks that the error is about and returns the others, grouped into the calls to send next. */
function rejectFaulty(pending: readonly Pending[], error: unknown): Pending[][] {
  const refusal = error instanceof CommonholdError ? error : undefined
  const others = pending.filter(({ reject }, index) => {
    const own = refusal?.faults.filter(({ field }) => field.startsWith(`checks[${index}]`)) ?? []
    if (refusal === undefined || own.length === 0) return true
    reject(errorOfOne(refusal, own))
    return false
  })
  if (others.length < pending.length) return others.length === 0 ? [] : [others]
  if (pending.length > 1 && UNLOCATED_REASONS.includes(refusal?.reason ?? '')) {
    const half = Math.ceil(pending.length / 2)
    return [pending.slice(0, half), pending.slice(half)]
  }
  for (const { reject } of pending) reject(error)
  return []
}

/** Returns the error that this check alone would have got: without its index in a list that the caller never made. */
const errorOfOne = (error: CommonholdError, faults: readonly Fault[]): CommonholdError =>
  renamed(error, faults, (text) => text.replace(/checks\[\d+\]\.?/g, ''))
