/** The web console: its files, the sessions of its cookie, and the counts of its first page. */
import path from 'node:path'
import type { CreateFeature } from '#kernel'
import { sessionSecretOf } from './cookie.ts'
import { serveConsole } from './files.ts'
import { createOverview } from './overview.ts'
import { consoleRoutes } from './routes.ts'
import { startConsoleSessions } from './sessions.ts'
import { createTraffic } from './traffic.ts'

/** Where the build puts the console. */
const FOLDER = path.join(import.meta.dirname, '../../../console/dist')

export const webConsole: CreateFeature = (kernel) => {
  const { config, db, publicUrl, version } = kernel
  const headerPrefix = config.HEADER_PREFIX
  const sessions = startConsoleSessions(kernel)
  const traffic = createTraffic()
  const count = createOverview(db)
  return {
    async routes(_routes, pipeline) {
      await serveConsole(pipeline.app, FOLDER, headerPrefix)
      pipeline.app.addHook('onResponse', ({ context: { apiKeyId } }, { statusCode }, done) => {
        if (apiKeyId !== undefined) traffic.answered(apiKeyId, statusCode)
        done()
      })
      consoleRoutes(pipeline, {
        sessions,
        headerPrefix,
        publicUrl,
        overview: async (caller) => ({
          ...(await count(caller)),
          traffic: traffic.lastHour(caller.apiKeyId),
          version,
          engine: db.engine,
        }),
      })
    },
    credentials: {
      sessionSecret: (request) => sessionSecretOf(request, { headerPrefix, publicUrl }),
      session: sessions.lookUp,
      keyOfWorkspace: sessions.keyOfWorkspace,
    },
    stop: sessions.stop,
  }
}
