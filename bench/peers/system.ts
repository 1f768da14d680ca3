/** What the comparison needs of each system: how it is started and asked, and how its answers are read. */
import type { BenchServer } from '../support/server.ts'
import type { PeersWorld, Question } from './world.ts'

export interface Call {
  path: string
  body: string
}

/** A running system with an empty store. */
export interface System {
  /** With the version. */
  name: string
  /** What was set, and what the settings mean for the answers. */
  settings: string
  server: BenchServer
  headers: Record<string, string>
  /** The calls that load an organization, in their order. */
  load(world: PeersWorld, organization: number): Call[]
  check(question: Question): Call
  checks(questions: readonly Question[]): Call
  /** Lists the documents that a user may open. */
  list(user: Omit<Question, 'document'>): Call
  /** Lets `user` view documents. */
  grant(user: string, documents: readonly Omit<Question, 'user'>[]): Call
  /** Read the text of a response. */
  isAllowed(text: string): boolean
  areAllowed(text: string, count: number): boolean[]
  listed(text: string): number
}

/** How many facts a call has while the world is loaded. */
export const FACTS_IN_CALL = 100

export function inParts<Item>(items: readonly Item[], size = FACTS_IN_CALL): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, nth) => items.slice(nth * size, (nth + 1) * size))
}

export async function post(system: Pick<System, 'server' | 'headers'>, { path, body }: Call): Promise<string> {
  const response = await fetch(system.server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...system.headers },
    body,
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`)
  return text
}
