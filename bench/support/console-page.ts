/** Drives the view of a folder in a browser and measures its frames, long tasks and memory. */
import type { Page } from 'playwright-core'

export interface Timings {
  /** The times between frames, in milliseconds. */
  frames: number[]
  /** The durations of tasks longer than 50 ms. */
  longTasks: number[]
}

/** Key presses in a row, as if the key were held down. */
const PRESSES = 20

const ROOM = `document.querySelector('section[aria-label="Folders and documents"]')`
const LAST_INDEX = `Number([...${ROOM}.querySelectorAll('tr[aria-rowindex]:not([aria-busy])')].at(-1)?.ariaRowIndex ?? 0)`
const COUNT = `Number(${ROOM}.querySelector('table').getAttribute('aria-rowcount'))`
/** Whether every visible row is rendered. */
const IS_DRAWN = `(() => {
  const room = ${ROOM}
  const box = room.getBoundingClientRect()
  const y = Math.min(box.bottom, innerHeight) - 30
  const row = document.elementFromPoint(box.left + 100, y)?.closest('tr[aria-rowindex]')
  return row != null && !row.ariaBusy
})()`
const FRAME = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

const SOON = 'new Promise((resolve) => setTimeout(resolve, 5))'

/** Runs a step in the page once per frame until it returns true. */
const untilDone = (step: string): string =>
  `(async () => { for (;;) { if (await (${step})()) return; await ${FRAME} } })()`

export async function openBenchPage(page: Page) {
  const session = await page.context().newCDPSession(page)
  const room = page.getByRole('region', { name: 'Folders and documents' })

  async function presses(key: string, isThere: string): Promise<void> {
    await room.focus()
    while (!(await page.evaluate(isThere))) {
      await Promise.all(Array.from({ length: PRESSES }, () => page.keyboard.press(key)))
      await page.evaluate(untilDone(`() => ${IS_DRAWN}`))
    }
  }
  return {
    /** Returns the time until the row of `id` is visible, in milliseconds. */
    async open(url: string, id: string): Promise<number> {
      await page.goto('about:blank')
      const start = performance.now()
      await page.goto(url, { waitUntil: 'commit' })
      await page.getByRole('row').filter({ hasText: id }).waitFor()
      return performance.now() - start
    },
    async measured(work: () => Promise<void>): Promise<Timings> {
      await page.evaluate(`(() => {
        const seen = (window.seen = { frames: [], longTasks: [], on: true })
        const frame = (before) => requestAnimationFrame((now) => {
          if (before !== undefined) seen.frames.push(now - before)
          if (seen.on) frame(now)
        })
        frame()
        seen.observer = new PerformanceObserver((list) => seen.longTasks.push(...list.getEntries().map(({ duration }) => duration)))
        seen.observer.observe({ type: 'longtask' })
      })()`)
      await work()
      return page.evaluate(`(() => {
        const { seen } = window
        seen.on = false
        seen.observer.disconnect()
        return { frames: seen.frames, longTasks: seen.longTasks }
      })()`) as Promise<Timings>
    },
    async heapMb(): Promise<number> {
      await session.send('HeapProfiler.collectGarbage')
      const { usedSize } = await session.send('Runtime.getHeapUsage')
      return usedSize / 1e6
    },
    pageDown: (rows: number) => presses('PageDown', `${LAST_INDEX} >= ${rows}`),
    async pageUp(rows: number): Promise<void> {
      const from = (await page.evaluate(LAST_INDEX)) as number
      await presses('PageUp', `${LAST_INDEX} <= ${from - rows}`)
    },
    /** Scrolls through the whole of a short list and back. */
    async backAndForth(times: number): Promise<void> {
      for (let turn = 0; turn < times; turn++) {
        await presses('PageDown', `${LAST_INDEX} >= ${COUNT}`)
        await presses('PageUp', `${ROOM}.scrollTop <= 0`)
      }
    },
    /** Drags the scroll bar to the end of the loaded rows repeatedly, up to row `rows`; adds the duration of each to `times`. */
    async drag(times: number[], rows: number): Promise<void> {
      const found = (await page.evaluate(`(async () => {
        const times = []
        for (;;) {
          const start = performance.now()
          const before = ${LAST_INDEX}
          ${ROOM}.scrollTop = ${ROOM}.scrollHeight
          do await ${SOON}
          while (!(${IS_DRAWN}) || (${COUNT} < 0 && ${LAST_INDEX} <= before))
          times.push(performance.now() - start)
          if (${LAST_INDEX} >= ${rows} || (${COUNT} > 0 && ${LAST_INDEX} >= ${COUNT})) return times
        }
      })()`)) as number[]
      times.push(...found)
    },
    async home(id: string): Promise<number> {
      await room.focus()
      const start = performance.now()
      await page.keyboard.press('Home')
      await page.getByRole('row').filter({ hasText: id }).waitFor()
      return performance.now() - start
    },
  }
}
