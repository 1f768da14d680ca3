/** Counting distinct texts: exact for few, estimated for many, and the same for parts as for the whole. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { DistinctSketch } from './distinct.ts'

const of = (count: number, prefix = 'user-') => {
  const sketch = new DistinctSketch()
  for (let nth = 0; nth < count; nth++) sketch.add(prefix + nth)
  return sketch
}

describe('a sketch', () => {
  it('counts up to 159 texts exactly, however often each comes', () => {
    for (const count of [0, 1, 40, 159]) {
      const sketch = of(count)
      sketch.merge(of(count))
      assert.equal(sketch.count(), count)
      assert.ok(sketch.bytes().length <= 640)
    }
  })

  it('estimates more with a standard error of 3.25 %', () => {
    const errors: number[] = []
    for (const count of [160, 500, 2_000, 10_000, 100_000])
      for (const prefix of ['user-', 'auth0|', '00000000-0000-4000-8000-', 'é'])
        errors.push(of(count, prefix).count() / count - 1)
    const root = Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length)
    assert.ok(root < 0.0325 * 1.3, `${root}`)
    assert.ok(
      errors.every((error) => Math.abs(error) < 0.0325 * 4),
      `${errors}`,
    )
  })

  it('of a whole is the merge of the sketches of its parts, in any order, and after it was stored', () => {
    const parts = [of(100), of(90, 'b'), of(3_000, 'c'), of(5, 'user-')]
    const whole = new DistinctSketch()
    const sizes = [100, 90, 3_000, 5]
    for (const [index, prefix] of ['user-', 'b', 'c', 'user-'].entries())
      for (let nth = 0; nth < (sizes[index] ?? 0); nth++) whole.add(prefix + nth)
    for (const order of [parts, parts.toReversed()]) {
      const merged = new DistinctSketch()
      for (const part of order) merged.merge(DistinctSketch.from(part.bytes()))
      assert.deepEqual(merged.bytes(), whole.bytes())
      assert.equal(merged.count(), whole.count())
      assert.equal(merged.bytes().length, 640)
    }
  })

  it('says whether it was changed', () => {
    const sketch = of(100)
    assert.deepEqual([sketch.add('user-1'), sketch.add('new')], [false, true])
    const many = of(5_000)
    assert.deepEqual([many.merge(of(5_000)), many.merge(of(100)), of(100).merge(many)], [false, false, true])
  })
})
