/** Attempts to make one change: their common `Idempotency-Key`, and when another attempt needs a new one. */
import { CallError } from './call-error.ts'

/** `crypto.randomUUID` is only on pages with HTTPS. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** With these, the same call can succeed later. `UNKNOWN` is what a proxy in between says. */
const TRANSIENT = [
  'UNREACHABLE',
  'UNKNOWN',
  'ABORTED',
  'RESOURCE_EXHAUSTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
]

/** Whether the server refused a call. */
export const isRefusal = (error: unknown): error is CallError =>
  error instanceof CallError && !TRANSIENT.includes(error.status)

/** Whether the server keeps a refusal under the key, and repeats it to each further attempt with that key. */
export const isKept = (error: unknown): boolean => isRefusal(error) && error.status !== 'UNAUTHENTICATED'
