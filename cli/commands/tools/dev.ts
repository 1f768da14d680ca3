/** `dev`: runs a temporary server for development and tests, empty and on a free port. */

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { parseMoment } from '#contract/core/moments.ts'
import { addCommand, fail } from '../../command.ts'
import { applySeed, credentialsOf, type DevEnvironment, readSeed } from '../../connection/dev-data.ts'
import { type DevServer, exitOf, startDevServer } from '../../connection/server-process.ts'
import { exitCode } from '../../exit-codes.ts'
import { Failure, reportOf, wrongUsage } from '../../failures.ts'
import { createFolder } from '../../folders.ts'
import { untilInterrupted } from '../../interrupt.ts'
import { io } from '../../terminal/io.ts'
import { printJsonLine } from '../../terminal/output.ts'
import { isInteractive, note, print } from '../../terminal/terminal.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function addDev(program: Command): void {
  addCommand(program, 'dev', {
    callsServer: false,
    summary: 'Run a command with a temporary, empty server, for development and tests.',
    description: [
      'Starts the embedded engine with an empty store in a temporary folder, creates a workspace, an API key and an auth token, sets COMMONHOLD_URL, COMMONHOLD_API_KEY, COMMONHOLD_AUTH_TOKEN, COMMONHOLD_WORKSPACE_ID and COMMONHOLD_WORKSPACE_TOKEN for the command, deletes everything at the end, and exits with the exit code of the command.',
      'Without a command it writes the variables and runs until Ctrl-C. It never reads DATABASE_URL. Webhooks can be sent to this machine.',
    ].join('\n'),
    examples: [
      'commonhold dev --cmd "npm test"',
      'commonhold dev --seed seed.json --clock frozen -- npx vitest run',
      'commonhold dev --persist .commonhold --port 8080',
    ],
    async run({ words: [words], options }) {
      const given = optionsOf(words, options as Record<string, string | undefined>)
      const seed = given.seed === undefined ? [] : readSeed(given.seed)
      const folder =
        given.persist === undefined
          ? mkdtempSync(path.join(os.tmpdir(), 'commonhold-dev-'))
          : path.resolve(given.persist)
      const remove = () => {
        if (given.persist === undefined) rmSync(folder, { recursive: true, force: true })
      }
      process.once('exit', remove)
      // Handles signals until the command starts; from then on they are passed on to it.
      const end = (signal: NodeJS.Signals) => process.exit(128 + os.constants.signals[signal])
      for (const signal of SIGNALS) process.once(signal, end)
      return await withServer(given, folder, seed, () => {
        for (const signal of SIGNALS) process.off(signal, end)
      })
    },
  })
    .argument('[command...]', 'The command, with its options.')
    .option('--cmd <command>', 'The command, as a line for the shell.')
    .option('--seed <file>', 'Calls to make first: a JSON list of { operation, data }.')
    .option('--persist <folder>', 'Keep the data in this folder and use it again next time.')
    .option('--port <port>', 'The port of the server. Absent: a free port.')
    .option('--clock <time>', "Freeze the server's time: at the present with frozen, or at 2030-01-31T12:00:00Z.")
    .option('--json', 'Without a command: write the variables as one line of JSON.')
}

/** Returns the command line with `--` before the command of `dev`, whose options are its own. */
export function withSeparator(dev: Command, words: readonly string[]): string[] {
  for (let index = 1; index < words.length; index++) {
    const word = words[index] ?? ''
    if (word === '--') break
    if (!word.startsWith('-')) return words.toSpliced(index, 0, '--')
    if (dev.options.some(({ long, required }) => long === word && required)) index++
  }
  return [...words]
}

interface Given {
  command: { file: string; args: string[]; shell: boolean } | undefined
  seed: string | undefined
  persist: string | undefined
  port: string
  clock: string | undefined
  json: boolean
}

function optionsOf(words: unknown, options: Record<string, string | undefined>): Given {
  const { cmd, seed, persist, port = '0', clock, json } = options
  const [file, ...args] = Array.isArray(words) ? words.map(String) : []
  if (cmd !== undefined && file !== undefined) throw wrongUsage('Give the command with --cmd or as words, not both.')
  const fault = clock === undefined || clock === 'frozen' ? undefined : clockFault(clock)
  if (fault !== undefined) throw wrongUsage(`--clock must ${fault}; it is ${JSON.stringify(clock)}.`)
  const command =
    cmd !== undefined
      ? { file: cmd, args: [], shell: true }
      : file !== undefined
        ? { file, args, shell: false }
        : undefined
  return { command, seed, persist, port, clock, json: json !== undefined }
}

/** Returns the fault of a time for the clock; undefined if it is valid. */
function clockFault(time: unknown): string | undefined {
  const moment = parseMoment(String(time))
  return 'must' in moment ? moment.must : undefined
}

async function withServer(
  given: Given,
  folder: string,
  seed: ReturnType<typeof readSeed>,
  started: () => void,
): Promise<number> {
  const settings = {
    PORT: given.port,
    DATA_DIR: path.join(folder, 'data'),
    LOG_LEVEL: 'error',
    SIGNUP: 'open',
    RATE_LIMIT_PUBLIC: '0',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...(given.clock === undefined ? {} : { CLOCK: given.clock === 'frozen' ? new Date().toISOString() : given.clock }),
  }
  let server: DevServer | undefined
  try {
    createFolder(folder, '--persist')
    server = await startDevServer(settings, folder)
    const environment = await credentialsOf(server.url, folder)
    await applySeed(seed, environment)
    started()
    if (given.command === undefined) return await untilStopped(environment, server, given.json)
    // A shell shows the same prompt as before, so nothing else would say that the server is there.
    if (isInteractive())
      note(`The server ${server.url} runs until the command ends. Its credentials are in the environment.`)
    return await runCommand(given.command, environment)
  } catch (error) {
    fail({ ...reportOf(error), exitCode: exitCode('dev') }, false)
    return exitCode('dev')
  } finally {
    await server?.stop()
  }
}

async function untilStopped(environment: DevEnvironment, server: DevServer, json: boolean): Promise<number> {
  if (json) printJsonLine(environment)
  else for (const [name, value] of Object.entries(environment)) print(`export ${name}=${value}`)
  note('The server runs until Ctrl-C.')
  await untilInterrupted(async (signal) => {
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    const died = server.exited.then(({ code }) => {
      throw new Failure('broken', `The server exited with code ${code}.`)
    })
    await Promise.race([aborted, died, ...(json ? [untilOrphaned(server)] : [])])
  })
  io().stdin.destroy()
  return 0
}

/**
 * Runs until standard input is closed, which happens at the latest when the parent process dies. Each line
 * `{ "clock": "2030-01-31T12:00:00Z" }` moves the clock and is echoed when that is done; an invalid time gets the
 * response `{ "error": … }`.
 */
async function untilOrphaned(server: DevServer): Promise<void> {
  for await (const line of createInterface(io().stdin)) {
    const { clock } = JSON.parse(line) as { clock: string }
    const fault = clockFault(clock)
    if (fault === undefined) await server.setClock(clock)
    printJsonLine(fault === undefined ? { clock } : { error: `the time must ${fault}; it is ${JSON.stringify(clock)}` })
  }
}

/** Runs the command in this terminal and passes signals on to it. */
async function runCommand(
  { file, args, shell }: NonNullable<Given['command']>,
  environment: DevEnvironment,
): Promise<number> {
  // In a terminal Ctrl-C reaches the command directly. Without one the command gets its own process group, so that
  // signals reach all of its processes.
  const detached = io().stdin.isTTY !== true && process.platform !== 'win32'
  const env = { ...io().env, ...environment }
  const child = spawn(file, args, { shell, env, stdio: 'inherit', detached })
  const passOn = (signal: NodeJS.Signals) => {
    if (child.pid === undefined) return
    if (detached) process.kill(-child.pid, signal)
    else if (signal !== 'SIGINT') child.kill(signal)
  }
  for (const signal of SIGNALS) process.on(signal, passOn)
  try {
    const { code, signal } = await exitOf(child).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT')
        throw new Failure(
          'usage',
          `There is no command ${JSON.stringify(file)}.`,
          'For a command with spaces or pipes: --cmd "…"',
        )
      throw error
    })
    return code ?? 128 + (signal === null ? 0 : os.constants.signals[signal])
  } finally {
    for (const signal of SIGNALS) process.off(signal, passOn)
  }
}
