/** A server for development and tests: empty, on a free port, gone at the end. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { printJsonLine } from '../answers.ts'
import { addCommand, fail } from '../command.ts'
import { credentialsOf, type DevEnvironment, readSeed, sow } from '../dev-data.ts'
import { exitCode } from '../exit-codes.ts'
import { Failure, reportOf, wrongUsage } from '../failures.ts'
import { untilInterrupted } from '../interrupt.ts'
import { type DevServer, endOf, startDevServer } from '../server-process.ts'
import { note, print } from '../terminal.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function addDev(program: Command): void {
  addCommand(program, 'dev', {
    callsServer: false,
    summary: 'Run a command with an empty server of its own, for development and tests.',
    description: [
      'Starts the embedded engine with an empty store in a temporary folder, makes a workspace, an API key and an auth token, sets COMMONHOLD_URL, COMMONHOLD_API_KEY, COMMONHOLD_AUTH_TOKEN, COMMONHOLD_WORKSPACE_ID and COMMONHOLD_WORKSPACE_TOKEN for the command, ends with its exit code, and removes everything.',
      'Without a command it writes the variables and runs until Ctrl-C. It never reads DATABASE_URL. Webhooks may reach this machine.',
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
      // Until the command runs, which gets them then.
      const end = (signal: NodeJS.Signals) => process.exit(128 + os.constants.signals[signal])
      for (const signal of SIGNALS) process.once(signal, end)
      return await withServer(given, folder, seed, () => {
        for (const signal of SIGNALS) process.off(signal, end)
      })
    },
  })
    .argument('[command...]', 'The command, after --.')
    .option('--cmd <command>', 'The command, as the shell takes it.')
    .option('--seed <file>', 'Calls to make first: JSON, a list of { operation, data }.')
    .option('--persist <folder>', 'Keep the data there, and go on from it the next time.')
    .option('--port <port>', 'The port of the server. Absent: a free one.')
    .option('--clock <time>', 'Where time stands still for the server: frozen, which is now, or 2030-01-31T12:00:00Z.')
    .option('--json', 'Without a command: write the variables as one line of JSON.')
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
  if (cmd !== undefined && file !== undefined) throw wrongUsage('Give the command with --cmd or after --, not both.')
  if (clock !== undefined && clock !== 'frozen' && Number.isNaN(Date.parse(clock)))
    throw wrongUsage(`--clock must be frozen or a time such as 2030-01-31T12:00:00Z; it is ${JSON.stringify(clock)}.`)
  const command =
    cmd !== undefined
      ? { file: cmd, args: [], shell: true }
      : file !== undefined
        ? { file, args, shell: false }
        : undefined
  return { command, seed, persist, port, clock, json: json !== undefined }
}

async function withServer(
  given: Given,
  folder: string,
  seed: ReturnType<typeof readSeed>,
  started: () => void,
): Promise<number> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
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
    server = await startDevServer(settings, folder)
    const environment = await credentialsOf(server.url, folder)
    await sow(seed, environment)
    started()
    if (given.command === undefined) return await untilStopped(environment, server, given.json)
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
  note('It runs until Ctrl-C.')
  await untilInterrupted(async (signal) => {
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    const died = server.ended.then(({ code }) => {
      throw new Failure('broken', `The server ended with ${code}.`)
    })
    await Promise.race([aborted, died, ...(json ? [untilOrphaned(server)] : [])])
  })
  process.stdin.destroy()
  return 0
}

/**
 * Who starts this with a pipe as its standard input ends it by closing that, or by dying, and moves the clock with a line
 * `{ "clock": "2030-01-31T12:00:00Z" }`, which comes back when it is done.
 */
async function untilOrphaned(server: DevServer): Promise<void> {
  for await (const line of createInterface(process.stdin)) {
    const { clock } = JSON.parse(line) as { clock: string }
    await server.setClock(clock)
    printJsonLine({ clock })
  }
}

/** Runs it in our terminal; signals that we get are its. */
async function runCommand(
  { file, args, shell }: NonNullable<Given['command']>,
  environment: DevEnvironment,
): Promise<number> {
  // In a terminal Ctrl-C reaches it by itself; without one it gets a group of its own, so that signals reach all of it.
  const detached = process.stdin.isTTY !== true && process.platform !== 'win32'
  const env = { ...process.env, ...environment }
  const child = spawn(file, args, { shell, env, stdio: 'inherit', detached })
  const passOn = (signal: NodeJS.Signals) => {
    if (child.pid === undefined) return
    if (detached) process.kill(-child.pid, signal)
    else if (signal !== 'SIGINT') child.kill(signal)
  }
  for (const signal of SIGNALS) process.on(signal, passOn)
  try {
    const { code, signal } = await endOf(child).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT')
        throw new Failure(
          'usage',
          `There is no command ${JSON.stringify(file)}.`,
          'A command with spaces or pipes: --cmd "…"',
        )
      throw error
    })
    return code ?? 128 + (signal === null ? 0 : os.constants.signals[signal])
  } finally {
    for (const signal of SIGNALS) process.off(signal, passOn)
  }
}
