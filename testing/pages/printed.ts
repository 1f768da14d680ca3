/** Compares the output of the steps of a page with the output that the page shows. */
import assert from 'node:assert/strict'
import type { Followed } from './follow.ts'
import { isShown } from './shell.ts'
import type { Step } from './steps.ts'

/** Fails if the page did not run to its end, if a step printed something other than the page shows, or if the checkout has new files. */
export function assertPrinted({ steps, printed, left }: Followed): void {
  for (const [index, step] of steps.entries()) {
    const text = printed[index] ?? ''
    assert.ok(index < printed.length - 1, `step ${index + 1} of ${steps.length} failed: ${step.name}\n${text}`)
    try {
      compare(step, text)
    } catch (error) {
      throw new Error(`step ${index + 1} printed something else: ${step.name}\n${text}`, { cause: error })
    }
  }
  assert.deepEqual(left, [], 'the page left files in the checkout')
}

function compare({ shown, language, isLoose }: Step, printed: string): void {
  if (language === 'json') {
    const documents = documentsIn(printed)
    assertNoErrors(documents.slice(0, -1))
    assertShown(documents.at(-1), JSON.parse(shown.replaceAll(': …', ': "…"')), 'answer')
  } else if (isLoose) assert.ok(shown === '' || isShown(`\n${printed}\n`, `…\n${shown}…\n`), `it is not\n${shown}`)
  else if (shown === '') assertNoErrors(documentsIn(printed))
  else assert.ok(isShown(printed, shown), `it is not\n${shown}`)
}

const assertNoErrors = (documents: readonly unknown[]): void => {
  for (const one of documents) assert.ok(typeof one === 'object' && one !== null && !('error' in one))
}

/** Returns the JSON documents in a text, each on one line or on several. */
function documentsIn(printed: string): unknown[] {
  const documents: unknown[] = []
  let pending = ''
  for (const line of printed.split('\n')) {
    pending += line
    try {
      documents.push(JSON.parse(pending))
      pending = ''
    } catch {} // it continues on the next line
  }
  assert.equal(pending, '', `not JSON: ${pending}`)
  return documents
}

/** `…` on a page matches anything; at the end of a text, it matches any ending. */
function assertShown(actual: unknown, shown: unknown, at: string): void {
  if (shown === '…') assert.notEqual(actual, undefined, `${at} is missing`)
  else if (typeof shown === 'string' && shown.endsWith('…'))
    assert.ok(String(actual).startsWith(shown.slice(0, -1)), `${at}: ${actual} is not like ${shown}`)
  else if (typeof shown === 'object' && shown !== null && typeof actual === 'object' && actual !== null) {
    const real = Object.entries(actual)
    const expected = Object.entries(shown)
    assert.equal(real.length, expected.length, `${at} has ${Object.keys(actual)}, the page ${Object.keys(shown)}`)
    for (const [name, value] of expected) {
      const isIt = ([key]: [string, unknown]) =>
        key === name || (name.endsWith('…') && key.startsWith(name.slice(0, -1)))
      assertShown(real.find(isIt)?.[1], value, `${at}.${name}`)
    }
  } else assert.deepEqual(actual, shown, at)
}
