/** Bytes that are not UTF-8 are found with their position. */
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { it } from 'vitest'
import { decodedFile, decodedPart } from './text.ts'

const faultOf = (...bytes: number[]) => {
  const decoded = decodedPart(Uint8Array.from(bytes))
  return 'fault' in decoded ? decoded.fault : undefined
}

it('the first byte of an invalid sequence is named', () => {
  const cases: [number[], RegExp][] = [
    [[0x61, 0xe9, 0x62], /^its byte 2 is 0xe9/],
    [[0x61, 0xef, 0xbf], /^its byte 2 is 0xef/], // a replacement character that is cut off
    [[0xef, 0xbf, 0xbd, 0xef, 0x61], /^its byte 4 is 0xef/],
    [[0xc3], /^its byte 1 is 0xc3/],
    [[0xc0, 0x80], /^its byte 1 is 0xc0/], // an overlong NUL
    [[0xed, 0xa0, 0x80], /^its byte 1 is 0xed/], // a surrogate
    [[0xf5, 0x80, 0x80, 0x80], /^its byte 1 is 0xf5/],
  ]
  for (const [bytes, fault] of cases) assert.match(faultOf(...bytes) ?? '', fault)
  assert.equal(faultOf(0xef, 0xbf, 0xbd), undefined)
})

it('exactly the bytes that are UTF-8 are accepted, and all before the named one are', () => {
  const byte = fc.oneof(fc.constantFrom(0x61, 0xef, 0xbf, 0xbd, 0xc3, 0xa9, 0xf0, 0x9f, 0x98, 0x80), fc.nat(255))
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 12 }).chain((any) => fc.array(byte).map((own) => [...any, ...own])),
      (given) => {
        const at = Number(/^its byte (\d+)/.exec(faultOf(...given) ?? '')?.[1])
        assert.equal(Number.isNaN(at), isUtf8(Uint8Array.from(given)))
        if (!Number.isNaN(at)) assert.ok(isUtf8(Uint8Array.from(given.slice(0, at - 1))))
      },
    ),
  )
})

it('a file is accepted with a byte order mark of UTF-8, and refused by name in other formats', () => {
  assert.deepEqual(decodedFile(Buffer.from('\ufeffa\n\ufeff')), { text: 'a\n\ufeff' })
  assert.deepEqual(decodedFile(Buffer.from('\ufeffa', 'utf16le')), { fault: 'it is UTF-16, not UTF-8' })
  assert.deepEqual(decodedFile(Uint8Array.of(0x1f, 0x8b, 8)), { fault: 'it is gzip, not UTF-8' })
  assert.deepEqual(decodedFile(Buffer.from('a\né', 'latin1')), {
    fault: 'in line 2, its byte 1 is 0xe9, which is not UTF-8',
  })
})
