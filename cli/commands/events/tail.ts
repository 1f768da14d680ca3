/** `events tail`: follows events as they happen. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { listEvents } from '#contract/events/events.ts'
import { CommonholdError } from '#sdk/errors.ts'
import type { EventPage } from '#sdk/generated/operations.ts'
import { addCommand } from '../../command.ts'
import { dataOf } from '../../command-parameters.ts'
import { pagesOf } from '../../connection/calls.ts'
import type { Connection } from '../../connection/connection.ts'
import { untilInterrupted } from '../../interrupt.ts'
import { eventLines } from '../../terminal/event-lines.ts'
import { printJsonLine } from '../../terminal/output.ts'
import { colouredNote, note, plain, print } from '../../terminal/terminal.ts'
import { A_TIME, sinceMilliseconds } from '../../times.ts'
import { SUBJECT_FILTERS, TYPE_FILTER, WITH_NAMES } from './events.ts'

const POLL_MS = 1_000
/** While the server does not respond. */
const POLL_MS_MAX = 10_000
const FILTERS = [...SUBJECT_FILTERS, TYPE_FILTER]

export function addTail(program: Command): void {
  const command = addCommand(program, 'events tail', {
    summary: 'Follow events as they happen, until Ctrl-C.',
    description:
      'Calls events.list repeatedly, oldest first. Each event is shown exactly once, with a sentence that describes it. A server that restarts is waited for.',
    examples: ['commonhold events tail', 'commonhold events tail --type permission.* --since 1h --json'],
    async run({ options, connection }) {
      const { json = false, since } = options
      const show = (page: EventPage) => (json ? page.events.forEach(printJsonLine) : eventLines(page).forEach(print))
      const from = typeof since === 'string' ? sinceMilliseconds(since, '--since') : await lastChange(connection())
      const query = {
        ...dataOf({ operation: listEvents, parameters: FILTERS }, [], options),
        ...(json ? {} : WITH_NAMES),
        order: 'oldestFirst',
        from,
      }
      let isOld = since === undefined
      let pageToken: string | undefined
      let failures = 0
      await untilInterrupted(async (signal) => {
        const readNew = async () => {
          const data = pageToken === undefined ? query : { ...query, pageToken }
          for await (const page of pagesOf(connection(), listEvents, data, { signal })) {
            if (!isOld) show(page.data as EventPage)
            pageToken = page.nextPageToken ?? pageToken
            if (signal.aborted) return
          }
          if (isOld) note(colouredNote('dim', 'Following events. Stop with Ctrl-C.'))
          isOld = false
          failures = 0
        }
        while (!signal.aborted) {
          await readNew().catch((error: unknown) => {
            // A failure at the start is reported. Later, the command waits for a server that restarts.
            if (pageToken === undefined || !(error instanceof CommonholdError) || !error.retryable) throw error
            if (failures++ === 0) note(`${plain(error.explanation)} Waiting for the server; no event is lost.`)
          })
          await sleep(Math.min(POLL_MS_MAX, POLL_MS * 2 ** failures), undefined, { signal })
        }
      })
    },
  })
  for (const { flags, help = '' } of FILTERS) command.option(flags, help)
  command.option('--since <when>', `Begin with events since: ${A_TIME} Absent: now.`)
}

/** Returns the time of the latest event, by the clock of the server; later events are new. */
async function lastChange(connection: Connection): Promise<number> {
  const { events } = await connection.forKey().events.list({ pageSize: 1 })
  return events[0]?.changedAt ?? 0
}
