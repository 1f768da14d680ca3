/** A server process for benchmarks: started as `npm start` does it, on an empty folder or an empty database. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../scripts/root.ts'
import { cpuSeconds } from './cpu.ts'

/** What `npm start` gives to Node. */
const NODE_OPTIONS = ['--max-semi-space-size=8']

export interface BenchServer {
  url: string
  /** Resident memory of the process now. */
  rssMb(): number
  /** The most resident memory that it had. */
  peakMb(): number
  /** CPU time that it has used. */
  cpuSeconds(): number
  stop(): Promise<void>
}

/** Memory of a process of this machine: resident now, the most of that, or of it what it shares with nobody. */
export const memoryMb = (pid: number, what: 'VmRSS' | 'VmHWM' | 'RssAnon'): number =>
  Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** A command that listens on `PORT`, once it answers. */
async function start(command: string, args: string[], settings: Record<string, string>) {
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const url = `http://127.0.0.1:${port}`
  const env = { ...process.env, PORT: String(port), ...settings }
  const child = spawn(command, args, { cwd: ROOT, env, stdio: 'ignore', detached: true })
  await answers(`${url}/healthz`, child)
  return { child, url }
}

/** Milliseconds from typing `npm start` to the first answer. */
export async function timeToFirstAnswer(settings: Record<string, string>): Promise<number> {
  const started = performance.now()
  const { child } = await start('npm', ['start'], settings)
  const elapsed = performance.now() - started
  await ended(child)
  await sleep(1_000) // npm is gone before the server is
  return Math.round(elapsed)
}

export async function startProcess(script: string, settings: Record<string, string>): Promise<BenchServer> {
  const { child, url } = await start(process.execPath, [...NODE_OPTIONS, path.join(ROOT, script)], settings)
  return {
    url,
    rssMb: () => Math.round(memoryMb(child.pid ?? 0, 'VmRSS')),
    peakMb: () => Math.round(memoryMb(child.pid ?? 0, 'VmHWM')),
    cpuSeconds: () => cpuSeconds(child.pid ?? 0),
    stop: () => ended(child),
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve))
  process.kill(-(child.pid ?? 0), 'SIGTERM') // the whole group: npm does not pass the signal on to what its shell started
  await exited
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
