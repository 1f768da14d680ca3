/** Event consumers for tests only, because tests must not share the server's consumers. */
import type { Consumer } from '#tenancy/events/feed.ts'

const consumer = (name: string) => name as Consumer

export const READER = consumer('reader')
export const OTHER_READER = consumer('other reader')
