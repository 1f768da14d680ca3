/**
 * Builds worlds of comments in which a user listens, twice at the same time: as they are, and without the threads that
 * the user never sees. Returns everything that was sent to the user in each, by channel.
 */
import { deleteThreads } from '#contract/comments/threads.ts'
import type { TestServer } from '#testing/server.ts'
import type { MailServer } from '#testing/stand-ins/mail-server.ts'
import { type Heard, listen } from './listening.ts'
import { type Collecting, type Listening, linksIn, newListeningKey, textOfMail } from './mails.ts'
import type { WorldSpec } from './worlds.ts'

export const CHANNELS = ['stream', 'mails', 'pages'] as const
export type Channel = (typeof CHANNELS)[number]

export interface HeardTwice {
  reader: string
  unseen: ReadonlySet<string>
  /** The lines that were sent in the whole world, and in the one without the threads that the reader never sees. */
  sent: Record<Channel, [string[], string[]]>
}

const COLLECTING: readonly Collecting[] = ['at once', 'in windows', 'daily']

export function createListener(server: TestServer, post: MailServer) {
  const keys = new Map<string, Promise<Listening>>()
  const keyFor = (side: string, { defaultAccessType }: WorldSpec, nth: number) => {
    const collecting = COLLECTING[nth % COLLECTING.length] ?? 'at once'
    const name = [side, defaultAccessType, collecting].join(' ')
    const key = keys.get(name) ?? newListeningKey({ server, post }, defaultAccessType, collecting)
    keys.set(name, key)
    return key
  }

  /** Returns undefined if the user sees every thread. */
  let made = 0
  return async (given: WorldSpec, nth: number): Promise<HeardTwice | undefined> => {
    // Random steps seldom delete a private thread that somebody could learn of.
    const ended = nth % 2 === 1 ? [...given.steps, { do: 'delete thread' as const, thread: nth }] : given.steps
    const spec = { ...given, steps: ended }
    const [one, other] = await Promise.all([keyFor('whole', spec, nth), keyFor('without', spec, nth)])
    const id = `o${++made}`
    const whole = await listen(one, { id, spec, nth })
    const { reader, unseen } = whole
    if (unseen.size === 0) return undefined
    const without = await listen(other, { id, spec, nth, secret: unseen })
    const [pages, others] = await Promise.all([pagesOf(whole), pagesOf(without)])
    await deleteAllThreads(one, whole)
    const afterwards = await pagesOf(whole)
    const mails = (heard: Heard) => heard.mails.map(textOfMail).sort()
    return {
      reader,
      unseen,
      sent: {
        stream: [whole.streamed, without.streamed],
        mails: [mails(whole), mails(without)],
        // The channels also send the same when the threads are deleted.
        pages: [
          [...pages, ...afterwards],
          [...others, ...pages],
        ],
      },
    }
  }
}

/** Returns the first line that reveals something, with its channel. */
export function firstTelling(
  heard: HeardTwice | undefined,
  channels: readonly Channel[] = CHANNELS,
): string | undefined {
  if (heard === undefined) return undefined
  for (const channel of channels) {
    const [whole, without] = heard.sent[channel]
    const all = Math.max(whole.length, without.length)
    const first = Array.from({ length: all }, (_, at) => at).find((at) => whole[at] !== without[at])
    if (first !== undefined) return `${channel}: ${differing(whole[first], without[first])}`
  }
  return undefined
}

/** Returns the parts of two lines from the position where they begin to differ. */
function differing(line = '', other = ''): string {
  const equal = [...line].findIndex((letter, at) => letter !== other[at])
  const from = Math.max(0, (equal < 0 ? line.length : equal) - 100)
  return `${line.slice(0, 70)} … ${line.slice(from, from + 300)} … instead of … ${other.slice(from, from + 300)}`
}

/** Presses every button behind the links of the mails, and returns the text of the pages. */
async function pagesOf({ mails }: Heard): Promise<string[]> {
  const pages: string[] = []
  const look = async (url: string, init?: RequestInit) => {
    const answer = await fetch(url, init)
    const text = (await answer.text()).replaceAll(/token=[-\w]+/g, 'token').replaceAll(/key=[-\w]+/g, 'key')
    pages.push(`${init?.method ?? 'GET'} ${answer.status} ${text}`)
  }
  const press = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=b' }
  for (const link of mails.flatMap(linksIn)) {
    await look(link)
    await look(link, press)
    await look(link)
    await look(`${link}&again=1`, press)
  }
  return pages.sort()
}

async function deleteAllThreads({ key }: Listening, { world }: Heard): Promise<void> {
  const organizationId = world.organization.id
  for (const { id: documentId } of world.documents) await key.call(deleteThreads, { organizationId, documentId })
}
