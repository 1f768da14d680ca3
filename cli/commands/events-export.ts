/** `events export`: writes all events that match filters to standard output, with a sentence each. */
import type { Command } from 'commander'
import { listEvents } from '#contract/events/events.ts'
import { EVENT_COLUMNS, eventCells, eventLine, eventRows } from '#sdk/event-sentences/event-rows.ts'
import { csvRows } from '#sdk/shared/csv-rows.ts'
import { addCommand } from '../command.ts'
import { wrongUsage } from '../failures.ts'
import { dataOf, declare } from '../operation-command.ts'
import { plain, print } from '../terminal.ts'
import { EVENT_FILTERS, SUBJECT_FILTERS } from './events.ts'

const FILTERS = [...SUBJECT_FILTERS, ...EVENT_FILTERS]

export function addEventsExport(program: Command): void {
  const command = addCommand(program, 'events export', {
    summary: 'Write all matching events, with a sentence that says what happened.',
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
      if (isCsv) process.stdout.write(csvRows([EVENT_COLUMNS]))
      for await (const rows of eventRows(connection().forKey().events.list, data))
        if (isCsv) process.stdout.write(csvRows(rows.map((row) => eventCells(row).map(plain))))
        else for (const row of rows) print(eventLine(row))
    },
  })
  for (const parameter of FILTERS) declare(command, listEvents, parameter)
  command.option('--csv', 'Write CSV, which spreadsheets can open.')
}
