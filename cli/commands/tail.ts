/** `events tail`: follows events as they happen. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { type Event, listEvents } from '#contract/events.ts'
import { pagesOf } from '../calls.ts'
import { addCommand } from '../command.ts'
import type { Connection } from '../connection.ts'
import { untilInterrupted } from '../interrupt.ts'
import { dataOf } from '../operation-command.ts'
import { printJsonLine } from '../output.ts'
import { resource } from '../table.ts'
import { coloured, note, plain, print } from '../terminal.ts'
import { sinceMilliseconds } from '../values.ts'
import { SUBJECT_FILTERS, TYPE_FILTER } from './events.ts'

const POLL_MS = 1_000
const FILTERS = [...SUBJECT_FILTERS, TYPE_FILTER]

export function addTail(program: Command): void {
  const command = addCommand(program, 'events tail', {
    summary: 'Follow events as they happen, until Ctrl-C.',
    description: 'Calls events.list repeatedly, oldest first. Each event is shown exactly once.',
    examples: ['commonhold events tail', 'commonhold events tail --type permission.* --since 1h --json'],
    async run({ options, connection }) {
      const { json = false, since } = options
      const show = (event: Event) => (json ? printJsonLine(event) : print(lineOf(event)))
      const from = typeof since === 'string' ? sinceMilliseconds(since, '--since') : await lastChange(connection())
      const query = {
        ...dataOf({ operation: listEvents, parameters: FILTERS }, [], options),
        order: 'oldestFirst',
        from,
      }
      let isOld = since === undefined
      let pageToken: string | undefined
      await untilInterrupted(async (signal) => {
        for (;;) {
          const data = pageToken === undefined ? query : { ...query, pageToken }
          for await (const page of pagesOf(connection(), listEvents, data, { signal })) {
            if (!isOld) (page.data as { events: Event[] }).events.forEach(show)
            pageToken = page.nextPageToken ?? pageToken
            if (signal.aborted) return
          }
          if (isOld) note(coloured('dim', 'Following events. Stop with Ctrl-C.', process.stderr))
          isOld = false
          await sleep(POLL_MS, undefined, { signal })
        }
      })
    },
  })
  for (const { flags, help = '' } of FILTERS) command.option(flags, help)
  command.option('--since <when>', 'Begin with events since: 1h, or a time. Absent: now.')
}

/** Returns the time of the latest event, by the clock of the server; later events are new. */
async function lastChange(connection: Connection): Promise<number> {
  const { events } = await connection.forKey().events.list({ pageSize: 1 })
  return events[0]?.changedAt ?? 0
}

function lineOf({ changedAt, type, organizationId, resource: about, userId, actor }: Event): string {
  const who = actor.operator?.name ?? actor.token ?? actor.system ?? actor.address ?? ''
  const what = [organizationId, about === undefined ? undefined : resource(about), userId]
    .flatMap((part) => (part === undefined ? [] : [`${plain(part)}  `]))
    .join('')
  return `${coloured('dim', new Date(changedAt).toISOString())}  ${coloured('cyan', type)}  ${what}${coloured('dim', `by ${plain(who)}`)}`
}
