/** Runs a command line and sets the exit code. */
import { CommanderError } from 'commander'
import { fail } from './command.ts'
import { addCompletion } from './completion/completion.ts'
import { exitCode } from './exit-codes.ts'
import { reportOf, wrongUsage } from './failures.ts'
import { buildProgram } from './program.ts'

export async function run(argv: readonly string[]): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closes the pipe early, such as `head`, has what it needs: that is success.
    if (error.code === 'EPIPE') process.exit(exitCode('done'))
    throw error
  })
  // Nobody has to read the notes on standard error: a closed pipe there changes no exit code.
  process.stderr.on('error', () => {})
  const program = buildProgram()
  program.commandsGroup('Tools:')
  addCompletion(program)
  try {
    await program.parseAsync(argv)
  } catch (error) {
    if (!(error instanceof CommanderError)) fail(reportOf(error), argv.includes('--json'))
    else if (error.exitCode === 0) process.exitCode = exitCode('done')
    else if (error.code === 'commander.help') process.exitCode = exitCode('usage')
    else fail(reportOf(wrongUsage(sentence(error), 'For the usage, add --help.')), argv.includes('--json'))
  }
}

/** Turns `error: unknown option '--nme'\n(Did you mean --name?)` into sentences. */
function sentence({ message }: CommanderError): string {
  const [what = '', hint] = message.replace(/^error: /, '').split('\n')
  const text = what.charAt(0).toUpperCase() + what.slice(1)
  return `${text.replace(/\.?$/, '.')}${hint === undefined ? '' : ` ${hint.replace(/^\((.*)\)$/, '$1')}`}`
}
