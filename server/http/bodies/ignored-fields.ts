/**
 * Reports the fields of a request that were ignored: in a response header, and now and then in the log
 * (rules/contract.md#unknown-fields).
 */
import type { FastifyReply, FastifyRequest } from 'fastify'

const LOG_INTERVAL_MS = 60_000
const FIELDS_MAX = 20
const FIELD_CHARACTERS_MAX = 100

/** Returns the names as the value of a header: callers may choose any characters, and any number of names. */
function headerValue(names: readonly string[]): string {
  const shown = names
    .slice(0, FIELDS_MAX)
    .map((name) => encodeURIComponent(name.slice(0, FIELD_CHARACTERS_MAX).toWellFormed()))
  const more = names.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

/** Returns a function that reports the ignored fields of a request: in the log at most once a minute for each account. */
export function ignoredFieldsReporter(
  headerPrefix: string,
): (request: FastifyRequest, reply: FastifyReply, names: readonly string[]) => void {
  /** When each account was logged, in the order of these times. */
  const logged = new Map<string, number>()
  return (request, reply, names) => {
    if (names.length === 0) return
    const ignoredFields = headerValue(names)
    reply.header(`x-${headerPrefix}-ignored-fields`, ignoredFields)
    const { account } = request.context
    const now = performance.now()
    for (const [one, at] of logged) {
      if (now - at < LOG_INTERVAL_MS) break
      logged.delete(one)
    }
    if (logged.has(account)) return
    logged.set(account, now)
    request.log.warn({ account, ignoredFields }, 'unknown fields of a request were ignored (STRICT_FIELDS=false)')
  }
}
