/** Generates `docs/reference/commands.md`: the help of every command of `commonhold`. */
import type { Command } from 'commander'
import { buildProgram } from '../../cli/program.ts'
import { page } from './markdown.ts'

const WIDTH = 110

export function commandPages(): string {
  const program = buildProgram()
  const parts = [program, ...leavesOf(program)].map(
    (command) => `## ${nameOf(command)}\n\n\`\`\`text\n${helpOf(command)}\`\`\``,
  )
  return page(
    'Commands',
    'The output of `--help` for every command. [The guide](../guides/use-the-command-line.md) shows how to use them.',
    ...parts,
  )
}

const leavesOf = (parent: Command): Command[] =>
  parent.commands.flatMap((command) => (command.commands.length > 0 ? leavesOf(command) : [command]))

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({
    writeOut: (part) => (text += part),
    getOutHelpWidth: () => WIDTH,
    getOutHasColors: () => false,
  })
  command.outputHelp()
  return text
}
