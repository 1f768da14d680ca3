/** Repeats calls in a thread of its own, because the thread that measures another tenant must not be busy with them. */
import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** A call with several bodies, which are sent in turn. */
export interface BusyCalls {
  url: string
  headers: Record<string, string>
  bodies: string[]
  concurrency: number
}

export interface BusyReport {
  calls: number
  /** The number of responses with each status. */
  statuses: Record<string, number>
  /** The durations of calls that were not refused, up to the response or until the tenant hung up. */
  tookMs: number[]
}

/** The time for which the busy tenant waits for its last responses before it hangs up; a simulation takes seconds. */
const GRACE_MS = 500

/** Starts repeating. The returned function stops that and reports. */
export async function startBusyTenant(calls: BusyCalls): Promise<() => Promise<BusyReport>> {
  const worker = new Worker(import.meta.filename, { workerData: calls })
  await once(worker, 'message') // it has begun
  return async () => {
    const reported = once(worker, 'message')
    worker.postMessage('stop')
    const [report] = await reported
    await worker.terminate()
    return report as BusyReport
  }
}

async function repeat({ url, headers, bodies, concurrency }: BusyCalls): Promise<void> {
  const report: BusyReport = { calls: 0, statuses: {}, tookMs: [] }
  let isStopped = false
  const hangUp = new AbortController()
  parentPort?.once('message', () => {
    isStopped = true
    setTimeout(() => hangUp.abort(), GRACE_MS)
  })
  const call = async () => {
    const body = bodies[report.calls++ % bodies.length] ?? ''
    const began = performance.now()
    const note = () => report.tookMs.push(performance.now() - began)
    hangUp.signal.addEventListener('abort', note)
    const response = await fetch(url, { method: 'POST', headers, body, signal: hangUp.signal })
    await response.arrayBuffer()
    hangUp.signal.removeEventListener('abort', note)
    if (response.ok) note()
    report.statuses[response.status] = (report.statuses[response.status] ?? 0) + 1
  }
  const loop = async () => {
    while (!isStopped)
      await call().catch((error) => {
        if (!hangUp.signal.aborted) throw error
      })
  }
  const loops = Array.from({ length: concurrency }, loop)
  parentPort?.postMessage('begun')
  await Promise.all(loops)
  parentPort?.postMessage(report)
}

if (!isMainThread && parentPort !== null) await repeat(workerData as BusyCalls)
