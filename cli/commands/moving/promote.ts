/** `promote`: copies the configuration of one API key to another, after showing the difference and asking for confirmation. */
import type { Command } from 'commander'
import type { Client } from '#sdk/client.ts'
import { differ, type Fields } from '#sdk/shared/differences.ts'
import { compare, type Difference, openedBy, PARTS, type Part, type Promotion } from '#sdk/shared/promotion.ts'
import { addCommand } from '../../command.ts'
import { connect } from '../../connection/connection.ts'
import { environmentOf } from '../../connection/credentials.ts'
import { Failure, wrongUsage } from '../../failures.ts'
import { printJson } from '../../terminal/output.ts'
import { withSpinner } from '../../terminal/progress.ts'
import { coloured, colouredNote, note, plain, print, requireConfirmation } from '../../terminal/terminal.ts'

export function addPromote(program: Command): void {
  addCommand(program, 'promote', {
    callsServer: false,
    summary: 'Copy the configuration of one API key to another, after showing the difference.',
    description: `Compares ${PARTS.join(', ')}. Entries that only the target has are kept, unless --delete is given. Secrets are never copied; they are listed, to be set by hand. So are URLs on other servers that would get a secret of the target. To copy organizations, users and grants, use commonhold export and import.`,
    examples: [
      'commonhold promote --from staging --to production --diff',
      'commonhold promote --from staging --to production --only settings domains',
    ],
    async run({ options }) {
      const { from, to, only, diff, delete: deletes, yes, json } = options as Record<string, unknown>
      if (from === to) throw wrongUsage('--from and --to must be different profiles.')
      const [source, target] = [connect({ profile: String(from) }), connect({ profile: String(to) })]
      if (source.url === target.url && source.apiKey === target.apiKey)
        throw wrongUsage(`The profiles ${from} and ${to} have the same API key.`)
      const parts = partsOf(only)
      const promotion = await withSpinner('comparing', () =>
        compare(source.forKey(), target.forKey(), parts, deletes === true),
      )
      const changes = promotion.differences
      if (json === true) printJson(diffOf(promotion))
      else show(promotion, String(from), String(to))
      if (diff === true) return changes.length === 0 ? 'done' : 'no'
      if (changes.length === 0) return 'done'
      const environment = environmentOf(target.apiKey ?? '') ?? ''
      await requireConfirmation(
        `Make ${changes.length} change(s) to the ${environment} key ${target.apiKey}?`,
        yes === true,
      )
      await apply(target.forKey(), changes, json === true)
      return 'done'
    },
  })
    .requiredOption('--from <profile>', 'The profile of the key to copy.')
    .requiredOption('--to <profile>', 'The profile of the key to change.')
    .option('--only <part...>', `Only these parts: ${PARTS.join(', ')}.`)
    .option('--delete', 'Delete entries that only the target has.')
    .option('--diff', 'Only show the differences. Exit code 0: there are none; 1: there are some.')
    .option('-y, --yes', 'Do not ask for confirmation.')
    .option('--json', 'Write JSON.')
}

function partsOf(only: unknown): readonly Part[] {
  if (only === undefined) return PARTS
  return (only as string[]).map((name) => {
    const part = PARTS.find((known) => known === name)
    if (part === undefined)
      throw wrongUsage(`--only must be one of ${PARTS.join(', ')}; it is ${JSON.stringify(name)}.`)
    return part
  })
}

const diffOf = ({ differences, byHand, onlyInTarget }: Promotion) => ({
  differences: differences.map(({ make: _, ...difference }) => difference),
  byHand,
  onlyInTarget,
})

const COLOURS = { add: ['green', '+'], change: ['yellow', '~'], remove: ['red', '-'] } as const

function show({ differences, byHand, onlyInTarget }: Promotion, from: string, to: string): void {
  if (differences.length === 0) print(`${to} already has the configuration of ${from}.`)
  for (const { part, what, kind, before, after } of differences) {
    const [colour, sign] = COLOURS[kind]
    const line = (name: string, values: string) => print(coloured(colour, `${sign} ${part}  ${plain(name)}  ${values}`))
    if (kind === 'change')
      for (const leaf of leavesOf(what, before, after))
        line(leaf.what, `${written(leaf.before)} → ${written(leaf.after)}`)
    else line(what, written(kind === 'add' ? after : before))
  }
  const opens = openedBy(differences)
  if (opens !== undefined) note(`${colouredNote('yellow', '!')} ${opens}`)
  for (const what of byHand) note(`${colouredNote('yellow', '!')} ${plain(what)}`)
  for (const what of onlyInTarget)
    note(colouredNote('dim', `  ${plain(what)} is only in ${to} and is kept. To delete it: --delete.`))
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Yields the differing fields at every depth, so that nobody compares two long objects by eye. */
function* leavesOf(
  what: string,
  before: unknown,
  after: unknown,
): Generator<{ what: string; before: unknown; after: unknown }> {
  const [one, other] = [before ?? {}, after ?? {}]
  if ((!isFields(before) && !isFields(after)) || !isFields(one) || !isFields(other)) yield { what, before, after }
  else
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)]))
      if (differ(one[name], other[name])) yield* leavesOf(`${what}.${name}`, one[name], other[name])
}

const written = (value: unknown): string =>
  plain(value === undefined || value === '' ? 'not set' : typeof value === 'string' ? value : JSON.stringify(value))

async function apply(target: Client, changes: readonly Difference[], json: boolean): Promise<void> {
  let applied = 0
  for (const { part, what, make } of changes)
    try {
      await make(target)
      applied++
      if (!json) note(`${colouredNote('green', '✓')} ${part}  ${plain(what)}`)
    } catch (error) {
      note(
        `${applied} of ${changes.length} changes were made; ${part} ${plain(what)} was not. To make the rest after the fault below, run the command again.`,
      )
      throw error instanceof Error ? error : new Failure('broken', String(error))
    }
}
