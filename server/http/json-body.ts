/** Reads JSON bodies: valid UTF-8 only, no `__proto__`, and marks those that may hold what PostgreSQL cannot store. */
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { StatusError } from '#platform/status-error.ts'
import { IDEMPOTENCY_KEY } from './idempotency.ts'

/**
 * NUL and unpaired surrogates can stand in JSON only as escapes. A number reaches 1.8e308 only when the digits before its
 * point and its exponent make 309 together: with 200 digits in a row, or with an exponent of three digits. A body with
 * none of these needs no closer look. Runs of digits are read from their start alone, or a long one would be read from
 * each of its digits.
 */
const SUSPECT = /\\u(?:0000|d[89a-f])|\de\+?\d{3}|(?<!\d)\d{200}/i

export function registerJsonBody(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const refuse = (message: string) => done(new StatusError('INVALID_ARGUMENT', 'body_invalid', message), undefined)
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity')
      return refuse(`The content-encoding ${encoding} is not supported; send the body as it is.`)
    if (body.length === 0) return refuse('The body is empty; it must be a JSON object.')
    if (!isUtf8(body)) return refuse('The body is not valid UTF-8.')
    const text = body.toString('utf8')
    request.context.mayBeUnstorable = SUSPECT.test(text)
    if (request.headers[IDEMPOTENCY_KEY] !== undefined) request.context.bodyHash = hash('sha256', body)
    return parse(request, text, (error, value) =>
      error === null || error === undefined ? done(null, value) : refuse(faultOf(text)),
    )
  })
}

/** Fastify's parser gives one message for broken JSON and for keys that it refuses; this tells them apart. */
function faultOf(text: string): string {
  try {
    JSON.parse(text)
    return 'The body must not have a key "__proto__", nor "prototype" inside "constructor".'
  } catch (error) {
    return `The body is not valid JSON: ${(error as Error).message}`
  }
}
