/** `events list`; `tail.ts` has `events tail`. */
import { listEvents } from '#contract/events/events.ts'
import { eventLines } from '../event-lines.ts'
import type { OperationCommand, Parameter } from '../operation-command.ts'
import type { Table } from '../output.ts'
import { resourceNamed, sinceMilliseconds } from '../values.ts'

/** Events as sentences: a line each. */
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
  { flags: '--since <when>', at: 'from', help: 'Changed since: 7d, or a time.', read: sinceMilliseconds },
  { flags: '--until <when>', at: 'to', help: 'Changed before: 1d, or a time.', read: sinceMilliseconds },
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
