/** Copying the configuration of one API key to another: the difference first, then a question, then the changes. */
import type { Command } from 'commander'
import type { Client } from '#sdk/client.ts'
import { compare, type Difference, PARTS, type Part, type Promotion } from '#sdk/promotion.ts'
import { printJson } from '../answers.ts'
import { addCommand } from '../command.ts'
import { connect, environmentOf } from '../connection.ts'
import { Failure, wrongUsage } from '../failures.ts'
import { waiting } from '../progress.ts'
import { coloured, makeSure, note, plain, print } from '../terminal.ts'

export function addPromote(program: Command): void {
  addCommand(program, 'promote', {
    callsServer: false,
    summary: 'Copy the configuration of one API key to another, showing the difference first.',
    description: `Compares ${PARTS.join(', ')}. What only the target has stays, unless --delete. Secrets are never copied: they are listed, to be set by hand. Organizations, users and grants are not configuration: commonhold export and import.`,
    examples: [
      'commonhold promote --from staging --to production --diff',
      'commonhold promote --from staging --to production --only settings domains',
    ],
    async run({ options }) {
      const { from, to, only, diff, delete: deletes, yes, json } = options as Record<string, unknown>
      if (from === to) throw wrongUsage('--from and --to must be two profiles.')
      const [source, target] = [connect({ profile: String(from) }), connect({ profile: String(to) })]
      if (source.url === target.url && source.apiKey === target.apiKey)
        throw wrongUsage(`The profiles ${from} and ${to} have the same API key.`)
      const parts = partsOf(only)
      const promotion = await waiting('comparing', () =>
        compare(source.forKey(), target.forKey(), parts, deletes === true),
      )
      const changes = promotion.differences
      if (json === true) printJson(diffOf(promotion))
      else show(promotion, String(from), String(to))
      if (diff === true) return changes.length === 0 ? 'done' : 'no'
      if (changes.length === 0) return 'done'
      const environment = environmentOf(target.apiKey ?? '') ?? ''
      await makeSure(`Make ${changes.length} change(s) to the ${environment} key ${target.apiKey}?`, yes === true)
      await apply(target.forKey(), changes, json === true)
      return 'done'
    },
  })
    .requiredOption('--from <profile>', 'The profile of the key to copy.')
    .requiredOption('--to <profile>', 'The profile of the key to change.')
    .option('--only <part...>', `Only these: ${PARTS.join(', ')}.`)
    .option('--delete', 'Take away what only the target has.')
    .option('--diff', 'Only show the difference: 0 when there is none, 1 when there is.')
    .option('-y, --yes', 'Do not ask.')
    .option('--json', 'Write JSON.')
}

function partsOf(only: unknown): readonly Part[] {
  if (only === undefined) return PARTS
  return (only as string[]).map((name) => {
    const part = PARTS.find((known) => known === name)
    if (part === undefined) throw wrongUsage(`--only knows ${PARTS.join(', ')}; not ${JSON.stringify(name)}.`)
    return part
  })
}

const diffOf = ({ differences, byHand, onlyInTarget }: Promotion) => ({
  differences: differences.map(({ part, what, kind, before, after }) => ({ part, what, kind, before, after })),
  byHand,
  onlyInTarget,
})

const COLOURS = { add: ['green', '+'], change: ['yellow', '~'], remove: ['red', '-'] } as const

function show({ differences, byHand, onlyInTarget }: Promotion, from: string, to: string): void {
  if (differences.length === 0) print(`${to} is already like ${from}.`)
  for (const { part, what, kind, before, after } of differences) {
    const [colour, sign] = COLOURS[kind]
    const values =
      kind === 'change' ? `${written(before)} → ${written(after)}` : written(kind === 'add' ? after : before)
    print(coloured(colour, `${sign} ${part}  ${plain(what)}  ${values}`))
  }
  for (const what of byHand) note(`${coloured('yellow', '!', process.stderr)} ${plain(what)}`)
  for (const what of onlyInTarget)
    note(coloured('dim', `  ${plain(what)} is only in ${to}, and stays. --delete takes it away.`, process.stderr))
}

const written = (value: unknown): string =>
  plain(value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value))

async function apply(target: Client, changes: readonly Difference[], json: boolean): Promise<void> {
  let made = 0
  for (const { part, what, make } of changes)
    try {
      await make(target)
      made++
      if (!json) note(`${coloured('green', '✓', process.stderr)} ${part}  ${plain(what)}`)
    } catch (error) {
      note(
        `${made} of ${changes.length} changes were made; ${part} ${plain(what)} was not. Run it again: what was made is no difference any more.`,
      )
      throw error instanceof Error ? error : new Failure('broken', String(error))
    }
}
