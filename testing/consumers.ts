/** Consumers of events that the server does not have: what it follows itself, a test must not. */
import type { Consumer } from '#tenancy/events/feed.ts'

const consumer = (name: string) => name as Consumer

export const READER = consumer('reader')
export const OTHER_READER = consumer('other reader')
