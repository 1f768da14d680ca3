/**
 * Measures the console in a real browser with a folder of a million documents and one of 100: opening it, scrolling with
 * keys and with the scroll bar, searching, and the memory of the page.
 */
import type { Page } from 'playwright-core'
import { createClient } from '#testing/client.ts'
import { ensureConsole } from '#testing/processes/build.ts'
import { launchBrowser } from '../scripts/browser.ts'
import { signInWithKey } from '../test/console/support/sign-in.ts'
import { openBenchPage, type Timings } from './support/console-page.ts'
import { documentOf, fillFolder } from './support/folder.ts'
import { percentile, say, sayHead, sayRow } from './support/report.ts'
import { startProcess } from './support/server.ts'
import { postgresStore } from './support/store.ts'

const SMALL = 100
const TURNS = 3
const SCROLLED = 10_000
/** More rows than fit in an element of the greatest height. */
const DRAGGED = 200_000

const median = (values: readonly number[]): number => percentile(values, 0.5)
const whole = (count: number): string => count.toLocaleString('en')

export async function benchConsole(
  databaseUrl: string,
  settings: Record<string, string>,
  documents: number,
): Promise<void> {
  await ensureConsole()
  const server = await startProcess('server/main.ts', settings)
  const { headers } = await createClient(server.url).newKey()
  const apiKey = headers['x-service-api-key'] ?? ''
  const authToken = headers['x-service-auth-token'] ?? ''
  await postgresStore(databaseUrl)(async (query) => {
    await fillFolder(query, apiKey, 'small', SMALL)
    await fillFolder(query, apiKey, 'large', documents)
  })
  const browser = await launchBrowser()
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  const url = (id: string) =>
    `${server.url}/console/keys/${apiKey}/organizations/resources?organizationId=${id}&folderId=${id}`
  await page.goto(url('small'))
  await signInWithKey(page, { apiKey, authToken })
  const bench = await openBenchPage(page)

  say(`\n## The console: a folder of ${SMALL} documents and one of ${whole(documents)}`)
  sayHead('what', 'small', 'large', 'large ÷ small')
  const row = (what: string, small: number, large: number, digits = 0) =>
    sayRow(what, small.toFixed(digits), large.toFixed(digits), (large / small).toFixed(2))
  const times = { small: [] as number[], large: [] as number[] }
  for (let turn = 0; turn < TURNS; turn++)
    for (const id of ['small', 'large'] as const) times[id].push(await bench.open(url(id), documentOf(1)))
  row('from the address to rows seen, p50 ms', median(times.small), median(times.large))

  const found = { small: [] as number[], large: [] as number[] }
  for (const [id, count] of [
    ['small', SMALL],
    ['large', documents],
  ] as const) {
    await bench.open(url(id), documentOf(1))
    for (let turn = 0; turn < TURNS; turn++) found[id].push(await search(page, documentOf(count - turn)))
  }
  row('one id searched for everywhere, p50 ms', median(found.small), median(found.large))

  await bench.open(url('small'), documentOf(1))
  const smallKeys = await bench.measured(() => bench.backAndForth(TURNS))
  const smallHeap = await bench.heapMb()
  await bench.open(url('large'), documentOf(1))
  const largeKeys = await bench.measured(() => bench.pageDown(SCROLLED))
  row(
    `a frame while scrolling by keys, p50 ms (${whole(SCROLLED)} rows)`,
    median(smallKeys.frames),
    median(largeKeys.frames),
    1,
  )
  row('the same, p99 ms', percentile(smallKeys.frames, 0.99), percentile(largeKeys.frames, 0.99), 1)
  row(`JS heap after ${whole(SCROLLED)} rows, MB`, smallHeap, await bench.heapMb(), 1)
  const longest = (seen: Timings) => Math.max(0, ...seen.longTasks)
  row('the longest task while scrolling by keys, ms (0: none above 50)', longest(smallKeys), longest(largeKeys))

  await bench.open(url('large'), documentOf(1))
  const pages: number[] = []
  const dragged = await bench.measured(() => bench.drag(pages, DRAGGED))
  const edge = Math.max(1, Math.min(100, Math.floor(pages.length / 2)))
  const first = median(pages.slice(0, edge))
  const last = median(pages.slice(-edge))
  const atEnd = await bench.heapMb()
  row(`JS heap at row ${whole(DRAGGED)}, MB`, smallHeap, atEnd, 1)
  const endKeys = await bench.measured(() => bench.pageUp(SCROLLED))
  row('a frame while scrolling back from there by keys, p50 ms', median(smallKeys.frames), median(endKeys.frames), 1)
  row('the same, p99 ms', percentile(smallKeys.frames, 0.99), percentile(endKeys.frames, 0.99), 1)
  say(
    `\nBy the scroll bar to the end of what is read, ${pages.length} times, until row ${whole(DRAGGED)} was seen: a page took ${first.toFixed(0)} ms at the beginning (p50 of the first ${edge}) and ${last.toFixed(0)} ms at the end (of the last ${edge}), ${(last / first).toFixed(2)} times as long; ${dragged.longTasks.length} tasks above 50 ms, the longest ${longest(dragged).toFixed(0)} ms.`,
  )
  say(
    `\nFrom the last row to the first with the Home key: ${(await bench.home(documentOf(1))).toFixed(0)} ms. The server used ${server.peakMb()} MB at most.`,
  )
  await browser.close()
  await server.stop()
}

/** Returns the time from pressing Enter to the row, in milliseconds. */
async function search(page: Page, id: string): Promise<number> {
  const field = page.getByRole('textbox', { name: 'Find by name or id' })
  await field.fill(id)
  const start = performance.now()
  await field.press('Enter')
  await page.getByText('Searched the whole organization').waitFor()
  await page.getByRole('row').filter({ hasText: id }).waitFor()
  const spent = performance.now() - start
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  return spent
}
