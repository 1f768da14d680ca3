/** Questions about access that are asked one by one and go out together. */
import { type Caller, call } from './call.ts'
import { CommonholdError } from './errors.ts'
import { METHODS } from './generated/methods.ts'
import type { CheckPermissionsData, Decision } from './generated/operations.ts'

export type Question = CheckPermissionsData['checks'][number]

export type CheckMethod = (question: Question, options?: { signal?: AbortSignal }) => Promise<Decision>

/** Asked, and not yet answered. The same question is asked once, and answered to all who wait for it. */
interface Asked {
  question: Question
  answer(decision: Decision): void
  fail(error: unknown): void
  answered: Promise<Decision>
}

const QUESTIONS_MAX = 1_000

/** A turn of the event loop later: when everything that was ready to ask has asked. */
const later: (run: () => void) => void =
  (globalThis as { setImmediate?: (run: () => void) => void }).setImmediate ?? ((run) => setTimeout(run, 0))

export function coalesceChecks(caller: Caller): CheckMethod {
  let waiting = new Map<string, Asked>()

  function flush(): void {
    const asked = [...waiting.values()]
    waiting = new Map()
    for (let start = 0; start < asked.length; start += QUESTIONS_MAX)
      void ask(caller, asked.slice(start, start + QUESTIONS_MAX))
  }

  return async (question, { signal } = {}) => {
    signal?.throwIfAborted()
    const key = JSON.stringify(question)
    if (waiting.size === 0) later(flush)
    const asked = waiting.get(key) ?? newQuestion(question)
    waiting.set(key, asked)
    return signal === undefined ? asked.answered : orAborted(asked.answered, signal)
  }
}

function newQuestion(question: Question): Asked {
  const { promise, resolve, reject } = Promise.withResolvers<Decision>()
  promise.catch(() => {}) // who gave up is not told
  return { question, answer: resolve, fail: reject, answered: promise }
}

/** Asks all of them at once. The server refuses a call for a fault in one of them: then the others are asked again without it. */
async function ask(caller: Caller, asked: readonly Asked[]): Promise<void> {
  try {
    const { data } = await call(caller, 'check', METHODS.apiKey.permissions.check, {
      checks: asked.map(({ question }) => question),
    })
    const { checks } = data as { checks: readonly Decision[] }
    for (const [index, { answer, fail }] of asked.entries()) {
      const decision = checks[index]
      if (decision === undefined) fail(new TypeError('check: the server answered fewer questions than were asked'))
      else answer(decision)
    }
  } catch (error) {
    await Promise.all(withoutFaults(asked, error).map((group) => ask(caller, group)))
  }
}

/** Refusals of a call for one question in it that do not say which one. */
const OF_SOME_QUESTION = ['other_user', 'body_too_large']

/** Fails those whose fault it was, and answers what is to be asked again. */
function withoutFaults(asked: readonly Asked[], error: unknown): Asked[][] {
  const refusal = error instanceof CommonholdError ? error : undefined
  const faults = Map.groupBy(refusal?.faults ?? [], ({ field }) => Number(/^checks\[(\d+)\]/.exec(field)?.[1] ?? -1))
  for (const [index, { fail }] of asked.entries()) {
    const own = faults.get(index)
    if (refusal !== undefined && own !== undefined) fail(ofOne(refusal, own))
  }
  const others = asked.filter((_, index) => !faults.has(index))
  if (others.length < asked.length) return others.length === 0 ? [] : [others]
  if (asked.length > 1 && OF_SOME_QUESTION.includes(refusal?.reason ?? '')) {
    const half = Math.ceil(asked.length / 2)
    return [asked.slice(0, half), asked.slice(half)]
  }
  for (const { fail } of asked) fail(error)
  return []
}

/** The error as the one who asked would have got it alone: without a place in a list that they never made. */
function ofOne(error: CommonholdError, faults: readonly { field: string; message: string }[]): CommonholdError {
  const own = (text: string) => text.replace(/checks\[\d+\]\.?/g, '')
  const details = faults.map(({ field, message }) => ({ field: own(field), message: own(message) }))
  const { operation, status, reason, requestId } = error
  return new CommonholdError({
    operation,
    status,
    reason,
    requestId,
    message: details[0]?.message ?? error.message,
    details,
    cause: error,
  })
}

function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
