/** The clients for Python and Go do not repeat calls whose refusal lasts: they know the same reasons as that for TypeScript. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { LASTING } from '#sdk/generated/errors.ts'
import { ROOT } from '../../scripts/root.ts'

const listIn = (file: string, list: RegExp): string[] => {
  const [, text = ''] = list.exec(readFileSync(path.join(ROOT, 'clients', file), 'utf8')) ?? []
  return [...text.matchAll(/"(\w+)"/g)].map(([, reason = '']) => reason)
}

describe('the reasons of refusals that last', () => {
  it('are those of the contract in the client for Python', () => {
    assert.deepEqual(listIn('python/commonhold/errors.py', /^LASTING = \(([^)]*)\)/m), LASTING)
  })

  it('are those of the contract in the client for Go', () => {
    assert.deepEqual(listIn('go/call.go', /^var lasting = [^{]*\{([^}]*)\}/m), LASTING)
  })
})
