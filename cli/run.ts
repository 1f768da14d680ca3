/** Runs the command line of the process, or one within another program. */
import { type Command, CommanderError } from 'commander'
import { fail } from './command.ts'
import { withSeparator } from './commands/tools/dev.ts'
import { addCompletion } from './completion/completion.ts'
import { exitCode } from './exit-codes.ts'
import { type Failure, reportOf, SEE_HELP, wrongUsage } from './failures.ts'
import { commandOf, meantBy } from './hints.ts'
import { buildProgram } from './program.ts'
import { type Io, io, withIo } from './terminal/io.ts'

/** Runs a command line and returns its exit code. `argv` begins with the program and the script, like `process.argv`. */
export async function run(argv: readonly string[], own: Io = io()): Promise<number> {
  await withIo(own, async () => {
    const program = buildProgram()
    program.commandsGroup('Tools:')
    addCompletion(program)
    try {
      refuseReplaced(argv)
      await program.parseAsync([...argv.slice(0, 2), ...separated(program, argv.slice(2))])
    } catch (error) {
      if (!(error instanceof CommanderError)) fail(reportOf(error), argv.includes('--json'))
      else if (error.exitCode === 0) own.exitCode = exitCode('done')
      else if (error.code === 'commander.help') own.exitCode = exitCode('usage')
      else fail(reportOf(usageFailure(error, commandOf(program, argv.slice(2)))), argv.includes('--json'))
    }
  })
  return own.exitCode ?? exitCode('done')
}

/** The words after the command of `dev` belong to that command: `commonhold dev vite --port 3000`. */
function separated(program: Command, words: readonly string[]): string[] {
  const dev = program.commands.find((command) => command.name() === words[0] && command.name() === 'dev')
  return dev === undefined ? [...words] : withSeparator(dev, words)
}

/** Node replaces the bytes of an argument that are not UTF-8, and so would make one id of two. */
function refuseReplaced(argv: readonly string[]): void {
  const replaced = argv.find((word) => word.includes('\ufffd'))
  if (replaced !== undefined)
    throw wrongUsage(
      `The argument ${JSON.stringify(replaced)} is not UTF-8, or has the character U+FFFD.`,
      'If the id really has this character: commonhold call OPERATION, with \\ufffd in the JSON.',
    )
}

/** Turns `error: unknown option '--nme'\n(Did you mean --name?)` into sentences. */
function usageFailure({ message }: CommanderError, command: Command): Failure {
  const [what = '', suggestion] = message.replace(/^error: /, '').split('\n')
  const unknown = /^unknown (?:option|command) '(.*)'/.exec(what)?.[1]
  const meant = unknown === undefined ? undefined : meantBy(command, unknown)
  const hint = meant === undefined ? suggestion?.replace(/^\((.*)\)$/, '$1') : `Did you mean ${meant}?`
  const text = `${what.charAt(0).toUpperCase()}${what.slice(1)}`.replace(/\.?$/, '.')
  return wrongUsage(hint === undefined ? text : `${text} ${hint}`, SEE_HELP)
}
