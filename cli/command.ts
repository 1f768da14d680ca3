/** Adds commands with their common parts: the options for connection and output, examples, and exit codes. */

import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Connection, connect, type GlobalOptions } from './connection/connection.ts'
import { showingWarnings } from './connection/warnings.ts'
import { type Exit, exitCode } from './exit-codes.ts'
import { type Report, reportOf, SEE_HELP, wrongUsage } from './failures.ts'
import { type Io, io } from './terminal/io.ts'
import { colouredNote, note, plain, wrapped } from './terminal/terminal.ts'
import { TIME_FORMATS } from './times.ts'

export interface Run {
  /** The arguments: a string each, or a list for an argument that ends with `...`. */
  words: readonly (string | string[] | undefined)[]
  options: GlobalOptions & Readonly<Record<string, unknown>>
  /** Created on first use, so that a broken profile does not stop commands that need none. */
  connection(): Connection
}

export interface Definition {
  summary: string
  description?: string
  examples: readonly string[]
  /** Returns the outcome; undefined means `done`. A number is the exit code itself. */
  run: (run: Run) => Promise<Exit | number | undefined>
  /** Whether it calls a server. Default: it does. */
  callsServer?: boolean
  /** Whether the noun without a verb means this command. Default: it does not. */
  isDefault?: boolean
}

/** Adds a command to the tree; its name is `noun verb` or a single word. */
export function addCommand(program: Command, name: string, definition: Definition): Command {
  const [noun = '', verb] = name.split(' ')
  const parent = verb === undefined ? program : nounOf(program, noun)
  const { summary, description = '', examples, run, callsServer = true, isDefault = false } = definition
  const command = parent
    .command(verb ?? noun, { isDefault })
    .summary(summary)
    .description([summary, description].join('\n').trim())
  if (callsServer) CALLERS.add(command)
  if (examples.length > 0)
    command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`)
  return command.action(async (...given: unknown[]) => {
    const words = given.slice(0, -2) as Run['words']
    const options = command.optsWithGlobals() as Run['options']
    let connected: Connection | undefined
    const connection = () => {
      connected ??= connect(options)
      return connected
    }
    try {
      io().isJson = options.json === true
      refuseOthersOptions(command, program)
      if (options.times !== undefined) io().times = options.times as NonNullable<Io['times']>
      const exit = await showingWarnings(options.json !== true, () => run({ words, options, connection }))
      io().exitCode = typeof exit === 'number' ? exit : exitCode(exit ?? 'done')
    } catch (error) {
      fail(reportOf(error, connected), options.json === true)
    }
  })
}

/** Refuses an option that this command does not have. The program accepts the options of every command. */
function refuseOthersOptions(command: Command, program: Command): void {
  const stray = program.options.find(
    (option) =>
      program.getOptionValueSource(option.attributeName()) === 'cli' &&
      !command.options.some(({ long }) => long === option.long),
  )
  if (stray !== undefined) throw wrongUsage(`Unknown option '${stray.long}'.`, SEE_HELP)
}

function nounOf(program: Command, name: string): Command {
  const noun = program.commands.find((command) => command.name() === name)
  if (noun === undefined) throw new TypeError(`no command group ${name}`)
  return noun
}

const number = (word: string): number => {
  if (!/^\d{1,6}$/.test(word) || Number(word) === 0)
    throw new InvalidArgumentError('It must be a whole number of at least 1.')
  return Number(word)
}

/** Commands that call a server. */
const CALLERS = new WeakSet<Command>()

/**
 * Adds the options for connection and output to the program, which accepts them anywhere on the line, and to the help
 * of every command that calls a server, after its own options.
 */
export function addGlobalOptions(program: Command): void {
  addConnectionOptions(program)
  addToCallers(program)
}

function addToCallers(parent: Command): void {
  for (const command of parent.commands) {
    addToCallers(command)
    if (CALLERS.has(command)) addConnectionOptions(command)
  }
}

const addConnectionOptions = (command: Command): Command =>
  addServerOptions(
    command
      .optionsGroup('Connection and output:')
      .addOption(new Option('--json', 'Write JSON: one document, or for a list one line for each item.'))
      .addOption(
        new Option('--times <format>', 'How times are shown: in UTC, local, or relative to now.').choices(TIME_FORMATS),
      ),
  )

/** Adds the options for the connection alone, to a command without output of its own. */
export const addServerOptions = (command: Command): Command =>
  command
    .addOption(new Option('--profile <name>', 'The profile with the address and the credentials.'))
    .addOption(new Option('--url <url>', 'The address of the server.'))
    .addOption(new Option('--timeout <seconds>', 'The time limit of each call.').argParser(number))

/** The width of the labels `error` and `next`. */
const INDENT = 7

/** Reports what went wrong and what to do next, and sets the exit code. */
export function fail(report: Report, json: boolean): void {
  const { exitCode, message, next, details, requestId } = report
  io().exitCode = exitCode
  if (json) {
    note(JSON.stringify({ error: report }))
    return
  }
  const written = (text: string) => wrapped(plain(text), INDENT, io().stderr)
  note(`${colouredNote(['red', 'bold'], 'error')}  ${message.split('\n').map(written).join('\n')}`)
  for (const fault of Array.isArray(details) ? details.slice(1) : [])
    if (typeof fault?.message === 'string') note(`${' '.repeat(INDENT)}${written(fault.message)}`)
  if (next !== undefined && next !== '') note(`${colouredNote('cyan', 'next')}   ${written(next)}`)
  if (requestId !== undefined) note(colouredNote('dim', `       request ${plain(requestId)}`))
}
