/** Checks the common form of every refusal. */
import assert from 'node:assert/strict'
import { STATUS, type Status } from '#contract/core/status.ts'
import type { Answer } from '#testing/client.ts'

interface Fault {
  field: string
  message: string
}

/** Asserts the error envelope with this status, and returns the error. */
// biome-ignore lint/suspicious/noExplicitAny: details have many shapes
export function refused(answer: Answer, status: Status): any {
  assert.equal(answer.body.error?.status, status, answer.text)
  assert.equal(answer.http, STATUS[status].http)
  assert.deepEqual(Object.keys(answer.body), ['error'])
  const { error } = answer.body
  assert.match(error.reason, /^[a-z][a-z_]*$/)
  assert.notEqual(error.message, '')
  assert.equal(error.requestId, answer.headers.get('x-request-id'))
  assert.match(error.requestId, /^[0-9a-z-]{8,40}$/)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  return error
}

/** Asserts INVALID_ARGUMENT that names `field`; the message is the first of all faults. */
export function refusedField(answer: Answer, field: string, message?: string | RegExp): void {
  const error = refused(answer, 'INVALID_ARGUMENT')
  const faults: Fault[] = error.details ?? []
  assert.equal(error.message, faults[0]?.message, answer.text)
  const fault = faults.find((candidate) => candidate.field === field)
  assert.ok(fault, `no fault of ${field} in ${answer.text.slice(0, 2_000)}`)
  if (typeof message === 'string') assert.equal(fault.message, message)
  else if (message !== undefined) assert.match(fault.message, message)
}

/** Returns the text of a response without its request id, to compare responses byte for byte. */
export const withoutRequestId = ({ http, text }: Answer): string =>
  `${http} ${text.replace(/"requestId":"[0-9a-z-]+"/, '"requestId":""')}`

/** The last use of a token changes once a minute, regardless of the calls made. */
export const withoutLastUse = (text: string): string =>
  text
    .replaceAll(/"lastUsedAt":\d+/g, '"lastUsedAt":0')
    .replaceAll(/"(calls|refused|failed|checks|activeUsers)":\d+/g, '"$1":0') // the usage of a key

/** Messages are sent and tried again on their own schedule. */
export const withoutHealth = (text: string): string => text.replaceAll(/"health":\{[^}]*\}/g, '"health":{}')

/** Reading a secret writes an event, which later reads of events then return. */
export const withoutShown = (text: string): string =>
  text.replaceAll(/\{"id":"[^"]+","type":"[a-z_]+\.(secret_)?shown",.*?"after":\{.*?\}\},?/g, '')

/** The token of a page of events contains the position in the database's log, which every change advances. */
export const withoutPageTokens = (text: string): string =>
  text.replaceAll(/"nextPageToken":"[^"]+"/g, '"nextPageToken":""')
