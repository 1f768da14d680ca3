/** The parts of each compared system: its server, the calls for each task, and functions that read its responses. */
import { spawnSync } from 'node:child_process'
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
  /** The settings, and what they mean for the answers. */
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
  /** These functions read the text of a response. */
  isAllowed(text: string): boolean
  areAllowed(text: string, count: number): boolean[]
  listed(text: string): number
}

/** The number of facts in a call that loads the world. */
export const FACTS_IN_CALL = 100

export const inParts = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / FACTS_IN_CALL) }, (_, nth) =>
    items.slice(nth * FACTS_IN_CALL, (nth + 1) * FACTS_IN_CALL),
  )

/** Returns the version that a program prints, to whichever output. */
export function versionOf(binary: string): string {
  const { stdout, stderr } = spawnSync(binary, ['version'], { encoding: 'utf8' })
  return /\d+\.\d+\.\d+[\w.-]*/.exec(stdout + stderr)?.[0] ?? 'of an unknown version'
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
