/** Events: listed. Following them is `tail.ts`. */
import { listEvents } from '#contract/events.ts'
import { table } from '../answers.ts'
import type { OperationCommand, Parameter } from '../operation-command.ts'
import { column, milliseconds, resource } from '../table.ts'
import { resourceNamed, sinceMilliseconds } from '../values.ts'

export const EVENT_COLUMNS = [
  column('WHEN', 'changedAt', milliseconds),
  column('TYPE'),
  column('ORGANIZATION', 'organizationId'),
  column('RESOURCE', 'resource', resource),
  column('USER', 'userId'),
  column('BY', 'actor', (actor) => {
    const { token, system, address } = (actor ?? {}) as { token?: string; system?: string; address?: string }
    return token ?? system ?? address ?? ''
  }),
]

export const TYPE_FILTER: Parameter = {
  flags: '--type <type...>',
  at: 'types',
  says: 'Only these types, and families of them such as permission.*.',
  read: (word) => word,
}

export const EVENT_FILTERS: readonly Parameter[] = [
  TYPE_FILTER,
  { flags: '--by-token <name>', at: 'actor.token' },
  { flags: '--since <when>', at: 'from', says: 'Changed since: 7d, or a time.', read: sinceMilliseconds },
  { flags: '--until <when>', at: 'to', says: 'Changed before: 1d, or a time.', read: sinceMilliseconds },
  { flags: '--order <order>', at: 'order', says: 'Which come first.' },
]

export const SUBJECT_FILTERS: readonly Parameter[] = [
  { flags: '-o, --org <organization>', at: 'organizationId', says: 'Only of this organization.' },
  { flags: '-u, --user <user>', at: 'userId', says: 'Only about this user.' },
  {
    flags: '--resource <resource>',
    at: 'resource',
    says: 'Only about this resource: organization:acme.',
    read: resourceNamed,
  },
]

export const EVENT_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'events list',
    operation: listEvents,
    parameters: [...SUBJECT_FILTERS, ...EVENT_FILTERS],
    show: table(EVENT_COLUMNS, 'events'),
    limit: 50,
    examples: [
      'commonhold events list --type permission.* --org acme --user ada --since 7d',
      'commonhold events list --limit all --json > events.ndjson',
    ],
  },
]
