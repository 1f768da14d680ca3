/** Runs the command line as people do: in a process of its own, with its own environment and home folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ROOT } from '../../scripts/root.ts'
import { cleanUp } from '../clean-up.ts'
import type { Client } from '../client.ts'
import { patient } from '../run/mode.ts'
import { ensureCommonhold } from './build.ts'

/** The packaged program, which starts in a third of the time of the sources. */
export const MAIN = path.join(ROOT, 'cli/dist/cli.js')
await ensureCommonhold()
/** Node's cache of compiled code. */
export const COMPILED = path.join(ROOT, 'node_modules/.cache/commonhold/compiled')

export type Environment = Readonly<Record<string, string>>

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly output: { stdout: string; stderr: string }
  readonly ended: Promise<Ended>
  /** Waits until the program has written matching text to either stream. */
  until(text: RegExp): Promise<RegExpExecArray>
}

const WAIT_MS = patient(30_000)

/** Creates an empty home folder, where profiles are stored. */
export function newHome(): string {
  const home = mkdtempSync(path.join(os.tmpdir(), 'commonhold-home-'))
  cleanUp(() => rmSync(home, { recursive: true, force: true }))
  return home
}

/** Writes an executable `commonhold`, which runs the packaged program, into a folder. */
export function writeCommonhold(folder: string): void {
  const script = `#!/bin/sh\nNODE_COMPILE_CACHE='${COMPILED}' exec '${process.execPath}' '${MAIN}' "$@"\n`
  writeFileSync(path.join(folder, 'commonhold'), script, { mode: 0o755 })
}

/** The home of all processes of this worker. */
const home = mkdtempSync(path.join(os.tmpdir(), 'commonhold-home-'))
process.once('exit', () => rmSync(home, { recursive: true, force: true }))

/** Starts `commonhold`, in a process that is killed after the test. */
export function startCli(
  args: readonly string[],
  environment: Environment = {},
  main: string = MAIN,
  cwd: string = home,
): Running {
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, NODE_COMPILE_CACHE: COMPILED, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdin.on('error', () => {}) // it may exit without reading
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      output[name] += chunk
    })
  const ended = once(child, 'close').then(([code]): Ended => ({ code, ...output }))
  cleanUp(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    child,
    output,
    ended,
    async until(text) {
      const deadline = Date.now() + WAIT_MS
      for (;;) {
        const found = text.exec(output.stdout) ?? text.exec(output.stderr)
        if (found !== null) return found
        if (Date.now() > deadline || child.exitCode !== null)
          throw new Error(`${text} did not appear: ${output.stdout}\n${output.stderr}`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
  }
}

/** Runs `commonhold` and waits for its exit. */
export async function cli(
  args: readonly string[],
  environment: Environment = {},
  input = '',
  cwd?: string,
): Promise<Ended> {
  const { child, ended } = startCli(args, environment, MAIN, cwd)
  child.stdin?.end(input)
  return ended
}

/** Returns the environment variables for the credentials that tests have as headers. */
export function environmentOf(
  url: string,
  { apiKey, workspace }: { apiKey?: Client; workspace?: Client },
): Environment {
  const header = (client: Client, name: string): string => client.headers[`x-service-${name}`] ?? ''
  return {
    COMMONHOLD_URL: url,
    ...(apiKey === undefined
      ? {}
      : { COMMONHOLD_API_KEY: header(apiKey, 'api-key'), COMMONHOLD_AUTH_TOKEN: header(apiKey, 'auth-token') }),
    ...(workspace === undefined
      ? {}
      : {
          COMMONHOLD_WORKSPACE_ID: header(workspace, 'workspace-id'),
          COMMONHOLD_WORKSPACE_TOKEN: header(workspace, 'auth-token'),
        }),
  }
}

/** Writes a file of profiles, and returns the environment variable that points to it. */
export function profilesIn(folder: string, profiles: object, mode = 0o600): Environment {
  const file = path.join(folder, 'commonhold', 'config.json')
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(profiles))
  chmodSync(file, mode)
  return { XDG_CONFIG_HOME: folder }
}
