/** Reads JSON bodies: accepts only valid UTF-8 without `__proto__`, and marks bodies that may hold values that PostgreSQL cannot store. */
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { StatusError } from '#platform/status-error.ts'
import { IDEMPOTENCY_KEY } from './idempotency.ts'

/**
 * Matches every body that PostgreSQL may be unable to store. JSON can contain NUL and unpaired surrogates only as escapes.
 * A number exceeds 1.8e308 only if the digits before its point and its exponent add up to 309, so it has 200 digits in a
 * row or an exponent of three digits. The lookbehind matches a run of digits only at its start: otherwise a long run
 * would be scanned again from each of its digits.
 */
const UNSTORABLE = /\\u(?:0000|d[89a-f])|\de\+?\d{3}|(?<!\d)\d{200}/i

export function registerJsonBody(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const refuse = (message: string) => done(new StatusError('INVALID_ARGUMENT', 'body_invalid', message), undefined)
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity')
      return refuse(`The content-encoding ${encoding} is not supported; send the body without an encoding.`)
    if (body.length === 0) return refuse('The body is empty; it must be a JSON object.')
    if (!isUtf8(body)) return refuse('The body is not valid UTF-8.')
    const text = body.toString('utf8')
    request.context.mayBeUnstorable = UNSTORABLE.test(text)
    if (request.headers[IDEMPOTENCY_KEY] !== undefined) request.context.bodyHash = hash('sha256', body)
    return parse(request, text, (error, value) =>
      error === null || error === undefined ? done(null, value) : refuse(faultOf(text)),
    )
  })
}

/** Returns why a body was refused: Fastify's parser has one message for invalid JSON and for forbidden keys. */
function faultOf(text: string): string {
  try {
    JSON.parse(text)
    return 'The body must not have a key "__proto__", nor "prototype" inside "constructor".'
  } catch (error) {
    return `The body is not valid JSON: ${(error as Error).message}`
  }
}
