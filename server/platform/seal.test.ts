/** Sealed secrets open where and with what they were sealed, and nowhere else. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { createSealer, type Place } from './seal.ts'

const [first, second, third] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer]
const place: Place = { column: 'auth_tokens.token_sealed', row: 'ab' }

describe('createSealer', () => {
  it('opens what it sealed, whatever the text', () => {
    const sealer = createSealer(first)
    for (const secret of ['', 'cht_secret', 'ключ 🔑 \0', 'x'.repeat(100_000)])
      assert.equal(sealer.open(sealer.seal(secret, place), place), secret)
  })

  it('never seals one secret to the same bytes twice, and shows nothing of it', () => {
    const sealer = createSealer(first)
    const sealed = Array.from({ length: 1_000 }, () => sealer.seal('a secret', place))
    assert.equal(new Set(sealed.map(String)).size, 1_000)
    assert.ok(sealed.every((bytes) => !bytes.includes('a secret')))
  })

  it('opens in no other place: not another column, not another row, not across the border of the two', () => {
    const sealer = createSealer(first)
    const sealed = sealer.seal('secret', place)
    for (const other of [
      { ...place, row: 'ac' },
      { ...place, row: '' },
      { ...place, column: 'workspaces.token_sealed' },
      { column: `${place.column}a`, row: 'b' },
    ])
      assert.throws(() => sealer.open(sealed, other))
  })

  it('opens no longer when any bit of it was changed, or when it was cut', () => {
    const sealer = createSealer(first)
    const sealed = sealer.seal('secret', place)
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const tampered = Buffer.from(sealed)
      tampered.writeUInt8(tampered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      assert.throws(() => sealer.open(tampered, place), `bit ${bit}`)
    }
    for (let length = 0; length < sealed.length; length++)
      assert.throws(() => sealer.open(sealed.subarray(0, length), place), `cut to ${length}`)
  })

  it('opens with the previous master key what was sealed before a rotation, and seals with the current one', () => {
    const before = createSealer(first).seal('secret', place)
    const rotated = createSealer(second, first)
    assert.equal(rotated.open(before, place), 'secret')
    assert.equal(createSealer(second).open(rotated.seal('new', place), place), 'new')
  })

  it('says which setting is missing when the master key is another', () => {
    const sealed = createSealer(first).seal('secret', place)
    for (const stranger of [createSealer(second), createSealer(second, third)])
      assert.throws(() => stranger.open(sealed, place), /auth_tokens\.token_sealed .*MASTER_KEY_PREVIOUS/)
  })
})
