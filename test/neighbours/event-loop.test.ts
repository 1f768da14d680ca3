/**
 * No body and no response holds the event loop for long, whatever it contains: large ones are read, checked and written
 * in slices. `npm run soak -- event-loop` also compares the delays with a tenth of a second of computing, on a machine
 * that does nothing else.
 */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { listEvents } from '#contract/events/events.ts'
import { addDocuments, getDocuments } from '#contract/resources/documents.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { createLastingStore, startProcess } from '#testing/processes/process.ts'
import { parseMetrics } from '#testing/prometheus.ts'
import { fixedWorkMs } from '#testing/run/mode.ts'
import { newCallers } from '../conformance/support/callers.ts'

const IS_SOAK = process.env.NEIGHBOUR_MS !== undefined
/** The longest time for which a call may hold the event loop, as a part of a tenth of a second of computing. */
const DELAY_MAX = 0.4
/** The part of the duration of a call for which it may hold the event loop; as one piece it held it for nearly all of it. */
const SHARE_MAX = 0.2
const REPEATS = IS_SOAK ? 5 : 2

const METRICS_TOKEN = 'the-token-of-this-test'
const { settings } = await createLastingStore()
const server = await startProcess({ ...settings, METRICS_TOKEN, LOG_LEVEL: 'error', DATABASE_MS_PER_KEY: '0' })
const { apiKey } = await newCallers(server.url)

const BYTES = 7_900_000
const filled = (text: string) => text.repeat(Math.floor(BYTES / Buffer.byteLength(text)))
const numbered = (count: number, text: (nth: number) => string) => Array.from({ length: count }, (_, nth) => text(nth))
const post = (path: string, body: string) =>
  fetch(server.url + path, { method: 'POST', headers: { 'content-type': 'application/json', ...apiKey.headers }, body })
const unknown = (value: string) => `{"data":{"x":${value}}}`
const documents = (count: number, fields: string) =>
  `{"data":{"organizationId":"acme","createOrganization":true,"documents":[${numbered(count, (nth) => `{"documentId":"d${nth}",${fields}}`)}]}}`

const BODIES: Record<string, [path: string, body: () => string, http: number]> = {
  'a list that does not end': [addDocuments.path, () => `{"data":{"x":[${filled('[],')}`, 400],
}

const MORE_BODIES: typeof BODIES = {
  'empty lists': [addDocuments.path, () => unknown(`[${filled('[],')}1]`), 400],
  'fields with different names': [
    addDocuments.path,
    () => unknown(`{${numbered(500_000, (nth) => `"k${nth}":1`)}}`),
    400,
  ],
  'empty texts': [addDocuments.path, () => unknown(`[${filled('"",')}1]`), 400],
  numbers: [addDocuments.path, () => unknown(`[${filled('1,')}1]`), 400],
  'small objects': [addDocuments.path, () => unknown(`[${filled('{"a":1},')}1]`), 400],
  'objects and a NUL at the end': [addDocuments.path, () => unknown(`[${filled('{"a":1},')}"\\u0000"]`), 400],
  'one field of empty objects': [addDocuments.path, () => documents(1, `"list":[${filled('{},')}1]`), 400],
  'one text': [addDocuments.path, () => unknown(`"${filled('a')}"`), 400],
  'one text of digits': [addDocuments.path, () => unknown(`"${filled('1')}"`), 400],
  'escaped letters': [addDocuments.path, () => unknown(`"${filled('\\u0041')}"`), 400],
  'questions that are lists': [checkPermissions.path, () => `{"data":{"checks":[${filled('[],')}1]}}`, 400],
  'documents with large texts': [addDocuments.path, () => documents(120, `"text":"${'x'.repeat(64_000)}"`), 200],
  'documents with many fields': [
    addDocuments.path,
    () => documents(1_000, `${numbered(100, (nth) => `"field${nth}":1`)}`),
    200,
  ],
  'documents with long lists': [addDocuments.path, () => documents(1_000, `"list":[${'1,'.repeat(3_700)}1]`), 200],
  'defaults of AuthZEN': [
    '/access/v1/evaluations',
    () => `{"subject":[${filled('[],')}1],"evaluations":[${'{},'.repeat(999)}{}]}`,
    200,
  ],
}

/** Returns the longest delay since the last call. */
async function longestDelayMs(): Promise<number> {
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  const delay = parseMetrics(await response.text()).get('nodejs_eventloop_lag_max_seconds')?.samples[0]?.value
  return (delay ?? assert.fail('no metric')) * 1000
}

/** Makes a call several times, and asserts that the event loop stayed free. */
async function assertLoopFree(t: TestContext, path: string, body: () => string, http: number): Promise<void> {
  const delays: number[] = []
  const shares: number[] = []
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    await longestDelayMs()
    const sent = body()
    const began = performance.now()
    const response = await post(path, sent)
    const text = await response.text()
    const tookMs = performance.now() - began
    assert.equal(response.status, http, text.slice(0, 1_000))
    const delayMs = Math.round(await longestDelayMs())
    delays.push(delayMs)
    shares.push(delayMs / tookMs)
  }
  await t.annotate(`${delays.join(', ')} ms, ${shares.map((share) => share.toFixed(2)).join(', ')} of the call`)
  // The machine may be busy, but a call that holds the event loop itself does so each time.
  assert.ok(Math.min(...shares) <= SHARE_MAX, `the event loop was held for ${shares.join(', ')} of the call`)
  if (IS_SOAK)
    assert.ok(Math.min(...delays) <= DELAY_MAX * fixedWorkMs(), `the event loop was held for ${delays.join(', ')} ms`)
}

describe('a large body', () => {
  for (const [name, [path, body, http]] of Object.entries({ ...BODIES, ...(IS_SOAK ? MORE_BODIES : {}) }))
    it(`of ${name} leaves the event loop to others`, (t) => assertLoopFree(t, path, body, http))
})

/** Texts of 64,000 bytes of JSON, which takes JavaScript and PostgreSQL the longer the more characters are escaped. */
const TEXTS: Record<string, string> = {
  'quotation marks': '\\"'.repeat(32_000),
  ...(IS_SOAK
    ? { letters: 'a'.repeat(64_000), 'wide letters': '漢'.repeat(21_000), controls: '\\u0001'.repeat(10_666) }
    : {}),
}

describe('a large response', () => {
  for (const [name, text] of Object.entries(TEXTS))
    it(`of ${name} leaves the event loop to others`, async (t) => {
      const organizationId = name.replace(' ', '-')
      const ids = numbered(240, (nth) => `"${organizationId}${nth}"`)
      const rows = (idName: string, part: string[]) => part.map((id) => `{"${idName}":${id},"text":"${text}"}`)
      for (let from = 0; from < ids.length; from += 120) {
        const part = ids.slice(from, from + 120)
        const into = `"organizationId":"${organizationId}","createOrganization":true`
        await post(addDocuments.path, `{"data":{${into},"documents":[${rows('documentId', part)}]}}`)
        if (IS_SOAK) await post(addOrganizations.path, `{"data":{"organizations":[${rows('organizationId', part)}]}}`)
      }
      const named = `{"data":{"organizationId":"${organizationId}","documentIds":[${ids}]}}`
      await assertLoopFree(t, getDocuments.path, () => named, 200)
      if (!IS_SOAK) return
      await assertLoopFree(t, getDocuments.path, () => `{"data":{"organizationId":"${organizationId}"}}`, 200)
      await assertLoopFree(t, getOrganizations.path, () => `{"data":{"organizationIds":[${ids}]}}`, 200)
      await assertLoopFree(t, listEvents.path, () => `{"data":{"organizationId":"${organizationId}"}}`, 200)
    })
})
