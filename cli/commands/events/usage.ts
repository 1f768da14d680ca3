/** `usage`: what an API key, or every key of the workspace, was used for. */
import type { Command } from 'commander'
import { getUsage, listAccountUsage } from '#contract/usage/usage.ts'
import type { ListAccountUsageResult, UsagePeriod } from '#sdk/generated/operations.ts'
import { csvRows } from '#sdk/shared/csv-rows.ts'
import { USAGE_COLUMNS, USAGE_COUNTS, USAGE_LABELS, usageCells } from '#sdk/shared/usage-rows.ts'
import { addCommand } from '../../command.ts'
import { dataOf, declare, type Parameter } from '../../command-parameters.ts'
import { pagesOf } from '../../connection/calls.ts'
import type { Connection } from '../../connection/connection.ts'
import { wrongUsage } from '../../failures.ts'
import { printJsonLine } from '../../terminal/output.ts'
import { column, tableLines } from '../../terminal/table.ts'
import { colouredNote, note, plain, print, write } from '../../terminal/terminal.ts'
import { A_TIME, sinceMilliseconds } from '../../times.ts'

const PARAMETERS: readonly Parameter[] = [
  { flags: '--by <period>', at: 'granularity', help: 'The length of a period, in UTC: hour, day or month.' },
  { flags: '--since <when>', at: 'from', help: `Periods that end after: ${A_TIME}`, read: sinceMilliseconds },
  { flags: '--until <when>', at: 'to', help: `Periods that begin before: ${A_TIME}`, read: sinceMilliseconds },
]

const COLUMNS = [
  column('PERIOD (UTC)', 'period'),
  ...USAGE_COUNTS.map((what) => column(USAGE_LABELS[what].toUpperCase(), what)),
]

type KeyUsage = ListAccountUsageResult['keys'][number]

export function addUsage(program: Command): void {
  const command = addCommand(program, 'usage', {
    summary: 'Show what an API key was used for, by hour, day or month.',
    description:
      'Calls usage.get, with an API key and an auth token with the scope read; with --all-keys account-usage.list, with a workspace and its token. Periods in which nothing was counted are absent. With --json it writes a line for each period.',
    examples: ['commonhold usage --by day --since 30d', 'commonhold usage --all-keys --by month --csv > usage.csv'],
    async run({ options, connection }) {
      if (options.csv === true && options.json === true) throw wrongUsage('--csv and --json exclude each other.')
      const data = dataOf({ operation: getUsage, parameters: PARAMETERS }, [], options)
      const isOfAll = options.allKeys === true
      if (options.csv === true) write(csvRows([[...(isOfAll ? ['api key', 'name'] : []), ...USAGE_COLUMNS]]))
      for await (const key of isOfAll ? allKeys(connection(), data) : oneKey(connection(), data))
        if (options.csv === true) write(csvRows(key.periods.map((usage) => [...namesOf(key), ...usageCells(usage)])))
        else if (options.json === true) for (const usage of key.periods) printJsonLine(jsonOf(key, usage))
        else show(key)
    },
  })
  for (const parameter of PARAMETERS) declare(command, getUsage, parameter)
  command.option('--all-keys', 'The usage of every API key of the workspace.')
  command.option('--csv', 'Write CSV, which spreadsheets can open.')
}

/** The columns for one key, without its name. */
type Shown = Pick<KeyUsage, 'periods'> & Partial<Pick<KeyUsage, 'apiKey' | 'apiKeyName'>>

async function* oneKey(connection: Connection, data: object): AsyncGenerator<Shown> {
  yield { periods: (await connection.forKey().usage.get(data)).periods }
}

async function* allKeys(connection: Connection, data: object): AsyncGenerator<Shown> {
  for await (const { data: page } of pagesOf(connection, listAccountUsage, data))
    yield* (page as ListAccountUsageResult).keys
}

const namesOf = ({ apiKey, apiKeyName = '' }: Shown): string[] =>
  apiKey === undefined ? [] : [apiKey, plain(apiKeyName)]

const jsonOf = ({ apiKey, apiKeyName }: Shown, usage: UsagePeriod): object =>
  apiKey === undefined ? usage : { apiKey, apiKeyName, ...usage }

function show({ periods, ...key }: Shown): void {
  const [apiKey, name] = namesOf({ periods, ...key })
  if (apiKey !== undefined) print(`${apiKey}  ${name}`)
  if (periods.length === 0) note(colouredNote('dim', 'None.'))
  const columns = COLUMNS.filter(({ at }) => periods.some((usage) => at in usage))
  if (periods.length > 0) for (const line of tableLines(columns, periods)) print(line)
}
