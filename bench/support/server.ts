/** Starts server processes for benchmarks, with the options of `npm start`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../../scripts/root.ts'
import { cpuSeconds } from './cpu.ts'

/** The options of Node in `npm start`. */
const NODE_OPTIONS = ['--max-semi-space-size=16', '--v8-pool-size=1']

export interface BenchServer {
  url: string
  /** The resident memory of the process. */
  rssMb(): number
  /** The peak of its resident memory. */
  peakMb(): number
  /** The CPU time that it has used. */
  cpuSeconds(): number
  stop(): Promise<void>
}

/** Returns the memory of a process: resident, its peak, or the anonymous part, which is not shared. */
export const memoryMb = (pid: number, what: 'VmRSS' | 'VmHWM' | 'RssAnon'): number =>
  Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Starts a command that listens on `port`, which is in its environment as `PORT`, and waits until it is ready. */
async function start(
  command: string,
  args: string[],
  settings: Record<string, string>,
  port = 20_000 + Math.floor(Math.random() * 20_000),
) {
  const url = `http://127.0.0.1:${port}`
  const env = { ...process.env, PORT: String(port), ...settings }
  const child = spawn(command, args, { cwd: ROOT, env, stdio: 'ignore', detached: true })
  await ready(url, child)
  return { child, url }
}

/** Returns the time from `npm start` until the server is ready, in milliseconds. */
export async function timeToReady(settings: Record<string, string>): Promise<number> {
  const started = performance.now()
  const { child } = await start('npm', ['start'], settings)
  const elapsed = performance.now() - started
  await stop(child)
  await sleep(1_000) // npm exits before the server does
  return Math.round(elapsed)
}

export async function startProcess(script: string, settings: Record<string, string>): Promise<BenchServer> {
  return serverOf(await start(process.execPath, [...NODE_OPTIONS, path.join(ROOT, script)], settings))
}

/** Starts a program whose settings or arguments make it listen on `port`. */
export async function startProgram(
  command: string,
  args: string[],
  settings: Record<string, string>,
  port: number,
): Promise<BenchServer> {
  return serverOf(await start(command, args, settings, port))
}

function serverOf({ child, url }: { child: ChildProcess; url: string }): BenchServer {
  return {
    url,
    rssMb: () => Math.round(memoryMb(child.pid ?? 0, 'VmRSS')),
    peakMb: () => Math.round(memoryMb(child.pid ?? 0, 'VmHWM')),
    cpuSeconds: () => cpuSeconds(child.pid ?? 0),
    stop: () => stop(child),
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve))
  process.kill(-(child.pid ?? 0), 'SIGTERM') // the process group: npm does not pass the signal on to the server
  await exited
}

/** Waits until calls are served: while the server opens the database, it responds to all of them with 503. */
async function ready(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    if (
      await fetch(url, { method: 'POST', body: '{}' }).then(
        ({ status }) => status !== 503,
        () => false,
      )
    )
      return
    await sleep(5)
  }
  throw new Error(`the server exited with code ${child.exitCode}`)
}
