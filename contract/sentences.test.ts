/** Descriptions are short: at most three sentences each, so that a reference can be read. Longer explanations are in docs/. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { EVENT_TYPES } from './events/event-types.ts'
import { OPERATIONS } from './operations.ts'
import { COMMON_REASONS, OPERATION_REASONS } from './reasons/reasons.ts'

const SENTENCES_MAX = 3

/** A point, question or exclamation mark that ends the text or stands before white space, outside of code. */
const sentencesOf = (text: string): number => text.replace(/`[^`]*`/g, 'code').match(/[.!?](?=\s|$)/g)?.length ?? 0

/** Every `description` in a schema, under its path. */
function descriptionsIn(schema: unknown, path: string): [string, string][] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([name, value]): [string, string][] =>
    name === 'description' && typeof value === 'string' ? [[path, value]] : descriptionsIn(value, `${path}.${name}`),
  )
}

const TEXTS: [string, string][] = [
  ...OPERATIONS.flatMap(({ name, description, data, result }): [string, string][] => [
    [name, description],
    ...descriptionsIn(data, `${name} data`),
    ...descriptionsIn(result, `${name} result`),
  ]),
  ...Object.entries({ ...COMMON_REASONS, ...OPERATION_REASONS }).flatMap(
    ([reason, { meaning, next }]): [string, string][] => [
      [reason, meaning],
      [`${reason}, what to do next`, next],
    ],
  ),
  ...Object.entries(EVENT_TYPES).map(([type, { summary }]): [string, string] => [type, summary]),
]

describe('every description', () => {
  it(`has at most ${SENTENCES_MAX} sentences, and one paragraph`, () => {
    const long = TEXTS.filter(([, text]) => sentencesOf(text) > SENTENCES_MAX || text.includes('\n'))
    assert.deepEqual(Object.fromEntries(long), {})
  })
})
