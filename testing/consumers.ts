/** Consumers of events for tests only, because tests must not share those of the server. */
import type { Consumer } from '#tenancy/events/feed.ts'

const consumer = (name: string) => name as Consumer

export const READER = consumer('reader')
export const OTHER_READER = consumer('other reader')
