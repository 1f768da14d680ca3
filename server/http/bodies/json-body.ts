/** Reads JSON bodies: accepts only valid UTF-8 without `__proto__` and repeated names, and marks bodies that may have values that cannot be stored. */
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { needsNoData } from '#contract/core/operation.ts'
import { parseMarked } from '#contract/validation/numbers.ts'
import { hasRepeated, repeatedName } from '#contract/validation/repeated.ts'
import { atOnce, type Steps } from '#contract/validation/steps.ts'
import { withoutMark } from '#contract/validation/text.ts'
import { Abandoned } from '#platform/lifetime.ts'
import { inSlices } from '#platform/queues/slices.ts'
import { StatusError } from '#platform/status-error.ts'
import { IDEMPOTENCY_KEY } from '../idempotency.ts'
import { isAbandoned } from '../request-end.ts'
import { ForbiddenKey, parseSteps, RepeatedName } from './large-json.ts'

/** Larger bodies are parsed and checked in slices: `JSON.parse` takes some milliseconds for this many bytes at worst. */
const LARGE_BODY_BYTES = 64 * 1024
const MESSAGE_CHARACTERS_MAX = 200

/**
 * Matches every body that may have a text or number that cannot be stored. JSON can contain NUL and unpaired surrogates
 * only as escapes. A number beyond 2⁵³ has at least 16 characters or an exponent. The pattern requires a character that
 * can precede a number, because ids often have digits.
 */
const UNSTORABLE = /\\u(?:0000|[dD][89a-fA-F])|[:,[\s]-?\d(?:[\d.]*[eE]|[\d.]{15})/

export function registerJsonBody(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity')
      return done(invalid(`The content-encoding ${encoding} is not supported; send the body without an encoding.`))
    if (body.length === 0) {
      const { operation } = request.routeOptions.config
      if (operation !== undefined && needsNoData(operation)) return done(null, undefined)
      return done(invalid('The body is empty; it must be a JSON object.'))
    }
    if (!isUtf8(body)) return done(invalid('The body is not valid UTF-8.'))
    if (request.headers[IDEMPOTENCY_KEY] !== undefined) request.context.bodyHash = hash('sha256', body)
    if (body.length > LARGE_BODY_BYTES) return void parseLarge(request, body).then((value) => done(null, value), done)
    const text = body.toString('utf8')
    request.context.mayBeUnstorable = UNSTORABLE.test(text)
    return parse(request, text, (error, value) => {
      if (error !== null && error !== undefined) return done(invalid(faultOf(text)))
      const repeated = repeatedName(text, value)
      if (repeated !== undefined) return done(invalid(`The body is ambiguous: ${hasRepeated(repeated)}.`))
      return done(null, request.context.mayBeUnstorable ? parseMarked(withoutMark(text)) : value)
    })
  })
}

const invalid = (message: string) => new StatusError('INVALID_ARGUMENT', 'body_invalid', message)

async function parseLarge(request: FastifyRequest, body: Buffer): Promise<unknown> {
  const { context } = request
  context.hasLargeBody = true
  try {
    const { value, isUnstorable } = await inSlices(context.tenant, parseSteps(body), () => isAbandoned(request))
    context.mayBeUnstorable = isUnstorable
    return value
  } catch (error) {
    if (error instanceof Abandoned) throw error
    // The message of the parser repeats the token, however long it is.
    const why = (error as Error).message.slice(0, MESSAGE_CHARACTERS_MAX)
    if (error instanceof RepeatedName) throw invalid(`The body is ambiguous: ${hasRepeated(error.message)}.`)
    throw invalid(error instanceof ForbiddenKey ? FORBIDDEN_KEY : `The body is not valid JSON: ${why}`)
  }
}

/** Runs a check of the body; a large body is checked in slices. */
export const checked = async <Result>(request: FastifyRequest, check: Steps<Result>): Promise<Result> =>
  request.context.hasLargeBody ? inSlices(request.context.tenant, check, () => isAbandoned(request)) : atOnce(check)

const FORBIDDEN_KEY = 'The body must not have a key "__proto__", nor "prototype" inside "constructor".'

/** Returns why a body was refused: Fastify's parser has one message for invalid JSON and for forbidden keys. */
function faultOf(text: string): string {
  try {
    JSON.parse(text)
    return FORBIDDEN_KEY
  } catch (error) {
    return `The body is not valid JSON: ${(error as Error).message}`
  }
}
