/** A server process for benchmarks: started as `npm start` does it, on an empty folder or an empty database. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const ROOT = path.join(import.meta.dirname, '..')

export interface BenchServer {
  url: string
  /** From the start of the process to its first answer. */
  firstAnswerMs: number
  /** Resident memory of the process now. */
  rssMb(): number
  stop(): Promise<void>
}

export async function startProcess(script: string, settings: Record<string, string>): Promise<BenchServer> {
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const url = `http://127.0.0.1:${port}`
  const started = performance.now()
  const child = spawn(process.execPath, [path.join(ROOT, script)], {
    cwd: ROOT,
    env: { ...process.env, PORT: String(port), ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await answers(`${url}/healthz`, child)
  const firstAnswerMs = performance.now() - started
  return {
    url,
    firstAnswerMs,
    rssMb: () =>
      Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024),
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await exited
    },
  }
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    if (
      await fetch(url, { method: 'POST', body: '{}' }).then(
        () => true,
        () => false,
      )
    )
      return
    await sleep(5)
  }
  throw new Error(`the server ended with code ${child.exitCode}`)
}
