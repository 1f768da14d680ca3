/** The stream of changes: threads of the documents that a page shows, and the inbox of its user. */
import type { CreateFeature } from '#kernel'
import { startLiveReader } from './reader.ts'
import { liveRoutes } from './routes.ts'

export const live: CreateFeature = (kernel) => {
  const reader = startLiveReader(kernel)
  return {
    routes: (_routes, pipeline) =>
      liveRoutes(pipeline, { reader, pageTokens: kernel.pageTokens, headerPrefix: kernel.config.HEADER_PREFIX }),
    stop: reader.stop,
  }
}
