/** `events list` and `events export`; `tail.ts` has `events tail`. */

import type { Command } from 'commander'
import { listEvents } from '#contract/events/events.ts'
import { EVENT_COLUMNS, eventCells, eventLine, eventRows } from '#sdk/event-sentences/event-rows.ts'
import { csvRows } from '#sdk/shared/csv-rows.ts'
import { addCommand } from '../../command.ts'
import { dataOf, declare, momentLines, type Parameter } from '../../command-parameters.ts'
import { wrongUsage } from '../../failures.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { eventLines } from '../../terminal/event-lines.ts'
import type { Table } from '../../terminal/output.ts'
import { note, plain, print, write } from '../../terminal/terminal.ts'
import { A_TIME, sinceMilliseconds } from '../../times.ts'
import { resourceNamed } from '../../values.ts'

/** Shows events as sentences, one a line. */
export const EVENT_LINES: Table = { as: 'table', columns: [], rowsIn: 'events', lines: eventLines }

/** The names for the sentences, which JSON does not have. */
export const WITH_NAMES = { includeNames: true }

export const TYPE_FILTER: Parameter = {
  flags: '--type <type...>',
  at: 'types',
  help: 'Only events of these types, or of families of types such as permission.*.',
  read: (word) => word,
}

export const EVENT_FILTERS: readonly Parameter[] = [
  TYPE_FILTER,
  { flags: '--by-token <name>', at: 'actor.token' },
  { flags: '--by-operator <id>', at: 'actor.operatorId' },
  { flags: '--since <when>', at: 'from', help: `Changed since: ${A_TIME}`, read: sinceMilliseconds },
  { flags: '--until <when>', at: 'to', help: `Changed before: ${A_TIME}`, read: sinceMilliseconds },
  { flags: '--order <order>', at: 'order', help: 'The order of the events.' },
]

export const SUBJECT_FILTERS: readonly Parameter[] = [
  { flags: '-o, --org <organization>', at: 'organizationId', help: 'Only events of this organization.' },
  { flags: '-u, --user <user>', at: 'userId', help: 'Only events about this user.' },
  {
    flags: '--resource <resource>',
    at: 'resource',
    help: 'Only events about this resource: organization:acme.',
    read: resourceNamed,
  },
]

export const EVENT_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'events list',
    operation: listEvents,
    parameters: [...SUBJECT_FILTERS, ...EVENT_FILTERS],
    forPeople: WITH_NAMES,
    show: EVENT_LINES,
    limit: 50,
    examples: [
      'commonhold events list --type permission.* --org acme --user ada --since 7d',
      'commonhold events list --limit all --json > events.ndjson',
    ],
  },
]

const FILTERS = [...SUBJECT_FILTERS, ...EVENT_FILTERS]

export function addEventsExport(program: Command): void {
  const command = addCommand(program, 'events export', {
    summary: 'Write all matching events, each with a sentence that describes it.',
    description:
      'Calls events.list page by page, with an API key and an auth token with the scope admin. Without --csv it writes a line of JSON for each event. Both have the sentence and the raw fields.',
    examples: [
      'commonhold events export --since 90d --csv > events.csv',
      'commonhold events export --org acme --user ada > events.jsonl',
    ],
    async run({ options, connection }) {
      if (options.csv === true && options.json === true) throw wrongUsage('--csv and --json exclude each other.')
      const isCsv = options.csv === true
      const data = dataOf({ operation: listEvents, parameters: FILTERS }, [], options)
      if (options.json !== true) momentLines({ parameters: FILTERS }, data).forEach(note)
      if (isCsv) write(csvRows([EVENT_COLUMNS]))
      for await (const rows of eventRows(connection().forKey().events.list, data))
        if (isCsv) write(csvRows(rows.map((row) => eventCells(row).map(plain))))
        else for (const row of rows) print(eventLine(row))
    },
  })
  for (const parameter of FILTERS) declare(command, listEvents, parameter)
  command.option('--csv', 'Write CSV, which spreadsheets can open.')
}
