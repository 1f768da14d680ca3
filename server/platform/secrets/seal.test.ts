/** Sealed secrets open only in their context and with their key. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { createSealer, type SealContext } from './seal.ts'

const [first, second, third] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer]
const context: SealContext = { column: 'auth_tokens.token_sealed', row: 'ab' }

describe('createSealer', () => {
  it('opens what it sealed, whatever the text', () => {
    const sealer = createSealer(first)
    for (const secret of ['', 'cht_secret', 'ключ 🔑 \0', 'x'.repeat(100_000)])
      assert.equal(sealer.open(sealer.seal(secret, context), context), secret)
  })

  it('never seals a secret to the same bytes twice, and reveals nothing of it', () => {
    const sealer = createSealer(first)
    const sealed = Array.from({ length: 1_000 }, () => sealer.seal('a secret', context))
    assert.equal(new Set(sealed.map(String)).size, 1_000)
    assert.ok(sealed.every((bytes) => !bytes.includes('a secret')))
  })

  it('opens in no other context: not another column, not another row, not with a character moved between the two', () => {
    const sealer = createSealer(first)
    const sealed = sealer.seal('secret', context)
    for (const other of [
      { ...context, row: 'ac' },
      { ...context, row: '' },
      { ...context, column: 'workspaces.token_sealed' },
      { column: `${context.column}a`, row: 'b' },
    ])
      assert.throws(() => sealer.open(sealed, other))
  })

  it('does not open if any bit was changed or if it was truncated', () => {
    const sealer = createSealer(first)
    const sealed = sealer.seal('secret', context)
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const tampered = Buffer.from(sealed)
      tampered.writeUInt8(tampered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      assert.throws(() => sealer.open(tampered, context), `bit ${bit}`)
    }
    for (let length = 0; length < sealed.length; length++)
      assert.throws(() => sealer.open(sealed.subarray(0, length), context), `cut to ${length}`)
  })

  it('opens values from before each rotation with an earlier master key, and seals with the current one', () => {
    const before = createSealer(first).seal('secret', context)
    const rotated = createSealer(third, [second, first])
    assert.equal(rotated.open(before, context), 'secret')
    assert.equal(rotated.open(createSealer(second).seal('later', context), context), 'later')
    assert.equal(createSealer(third).open(rotated.seal('new', context), context), 'new')
  })

  it('names the missing setting when the master key is another', () => {
    const sealed = createSealer(first).seal('secret', context)
    for (const stranger of [createSealer(second), createSealer(second, [third])])
      assert.throws(() => stranger.open(sealed, context), /auth_tokens\.token_sealed .*MASTER_KEY_PREVIOUS/)
  })

  it('derives the same name for a text with the same context and master key, and otherwise another', () => {
    const name = createSealer(first).nameOf('acme', context)
    assert.match(name, /^[0-9a-f]{32}$/)
    assert.equal(createSealer(first, [second]).nameOf('acme', context), name)
    for (const other of [
      createSealer(second, [first]).nameOf('acme', context),
      createSealer(first).nameOf('acmf', context),
      createSealer(first).nameOf('acme', { ...context, row: '' }),
      createSealer(first).nameOf('\0acme', { ...context, row: 'a' }),
    ])
      assert.notEqual(other, name)
  })
})
