/**
 * Fixes the clock and the random numbers of a process that imports it first (`node --import`), and of its threads, so that the
 * store that it creates has the same bytes each time. Such a store must contain no secret.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const MOMENT = Date.UTC(2026, 0, 1)

/** The same bytes for the same call of the process: a linear congruential generator. */
let state = 1
function fill<View extends NodeJS.ArrayBufferView | null>(view: View): View {
  if (view === null) return view
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  for (let at = 0; at < bytes.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    bytes[at] = state >>> 16
  }
  return view
}

Date.now = () => MOMENT
performance.now = () => 0
globalThis.crypto.getRandomValues = fill
Object.assign(crypto, { randomFillSync: fill })
syncBuiltinESMExports()
