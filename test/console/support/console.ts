/** The console of a real server in a real browser, for a test file. */
import { startServer, type TestServer } from '../../support/server.ts'
import { openBrowser, type Visit, type VisitOptions } from './browser.ts'
import { ensureConsole } from './build.ts'

export interface TestConsole {
  server: TestServer
  /** Opens a view in a browser that has nothing of other visits: `''`, `keys/…/organizations`. */
  visit(view?: string, options?: VisitOptions): Promise<Visit>
}

/** Built first where it is older than its source. `settings` are environment variables of the server. */
export async function openConsole(settings: Record<string, string> = {}): Promise<TestConsole> {
  await ensureConsole()
  const server = await startServer(settings)
  const browser = await openBrowser()
  return { server, visit: (view = '', options) => browser.visit(`${server.url}/console/${view}`, options) }
}
