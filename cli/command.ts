/** Commands with what all of them have: the options for where and how, examples, and an end with an exit code. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Connection, connect, type GlobalOptions } from './connection.ts'
import { type Exit, exitCode } from './exit-codes.ts'
import { type Report, reportOf } from './failures.ts'
import { coloured, note, plain, wrapped } from './terminal.ts'

export interface Run {
  /** The arguments: a text, or a list for those that end with `...`. */
  words: readonly (string | string[] | undefined)[]
  options: GlobalOptions & Readonly<Record<string, unknown>>
  /** Made when it is first needed: what is wrong with the profiles does not matter to commands that need none. */
  connection(): Connection
}

export interface Definition {
  summary: string
  description?: string
  examples: readonly string[]
  /** Answers how it ended; nothing: it was done. A number is the exit code itself. */
  run: (run: Run) => Promise<Exit | number | undefined>
  /** Whether it calls a server. Default: it does. */
  callsServer?: boolean
}

/** Adds `noun verb`, or a command without a noun, to the tree. */
export function addCommand(program: Command, name: string, definition: Definition): Command {
  const [noun = '', verb] = name.split(' ')
  const parent = verb === undefined ? program : nounOf(program, noun)
  const { summary, description = '', examples, run, callsServer = true } = definition
  const command = parent
    .command(verb ?? noun)
    .summary(summary)
    .description([summary, description].join('\n').trim())
  if (callsServer) CALLERS.add(command)
  if (examples.length > 0)
    command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`)
  return command.action(async (...given: unknown[]) => {
    const words = given.slice(0, -2) as Run['words']
    const options = given.at(-2) as Run['options']
    let connected: Connection | undefined
    const connection = () => {
      connected ??= connect(options)
      return connected
    }
    try {
      const exit = await run({ words, options, connection })
      process.exitCode = typeof exit === 'number' ? exit : exitCode(exit ?? 'done')
    } catch (error) {
      fail(reportOf(error, connected?.source), options.json === true)
    }
  })
}

function nounOf(program: Command, name: string): Command {
  const noun = program.commands.find((command) => command.name() === name)
  if (noun === undefined) throw new TypeError(`there is no noun ${name}`)
  return noun
}

const number = (word: string): number => {
  if (!/^\d{1,6}$/.test(word) || Number(word) === 0)
    throw new InvalidArgumentError('It must be a whole number from 1 on.')
  return Number(word)
}

/** Commands that call a server. */
const CALLERS = new WeakSet<Command>()

/** Gives all that call a server the options for where and how, after their own. */
export function addGlobalOptions(parent: Command): void {
  for (const command of parent.commands) {
    addGlobalOptions(command)
    if (CALLERS.has(command)) addWhereAndHow(command)
  }
}

const addWhereAndHow = (command: Command): Command =>
  command
    .optionsGroup('Where and how:')
    .addOption(new Option('--json', 'Write JSON: one document, or one line for each of a list.'))
    .addOption(new Option('--profile <name>', 'The profile with address and credentials.'))
    .addOption(new Option('--url <url>', 'The address of the server.'))
    .addOption(new Option('--timeout <seconds>', 'Give up after so long.').argParser(number))

/** Of what stands beside `error` and `next`. */
const INDENT = 7

/** Says what went wrong and what to do next, and sets the exit code. */
export function fail(report: Report, json: boolean): void {
  const { exitCode, message, next, details, requestId } = report
  process.exitCode = exitCode
  if (json) {
    note(JSON.stringify({ error: report }))
    return
  }
  const written = (text: string) => wrapped(plain(text), INDENT, process.stderr)
  note(`${coloured(['red', 'bold'], 'error', process.stderr)}  ${message.split('\n').map(written).join('\n')}`)
  for (const fault of Array.isArray(details) ? details.slice(1) : [])
    if (typeof fault?.message === 'string') note(`${' '.repeat(INDENT)}${written(fault.message)}`)
  if (next !== undefined && next !== '') note(`${coloured('cyan', 'next', process.stderr)}   ${written(next)}`)
  if (requestId !== undefined) note(coloured('dim', `       request ${plain(requestId)}`, process.stderr))
}
