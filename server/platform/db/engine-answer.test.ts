/** Which responses of the embedded engine mean that it has died. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { isPanic } from './engine-answer.ts'

function message(type: string, body: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)])
}
const READY = message('Z', 'I')

describe('isPanic', () => {
  it('is true for an error of that severity, and false for another', () => {
    assert.ok(isPanic(Buffer.concat([message('D', 'row'), message('E', 'SPANIC\0VPANIC\0C53100\0\0')])))
    assert.ok(!isPanic(Buffer.concat([message('E', 'SERROR\0VERROR\0C53100\0\0'), READY])))
    assert.ok(!isPanic(new Uint8Array()))
  })

  it('is false for a row with such a value', () => {
    assert.ok(!isPanic(Buffer.concat([message('D', 'E\0\0\0\x20VPANIC\0'), READY])))
  })
})
