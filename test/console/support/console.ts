/** The console of a real server in a real browser. */
import { ensureConsole } from '#testing/processes/build.ts'
import { sharedServer, type TestServer } from '#testing/server.ts'
import { openPage, type Visit, type VisitOptions } from './browser.ts'

export interface TestConsole {
  server: TestServer
  /** Opens a view such as `''` or `keys/…/organizations` in a fresh browser context. */
  visit(view?: string, options?: VisitOptions): Promise<Visit>
}

/** Builds the console first when it is out of date. `settings` are environment variables of the server. */
export async function openConsole(settings: Record<string, string> = {}): Promise<TestConsole> {
  await ensureConsole()
  const server = await sharedServer(settings)
  return { server, visit: (view = '', options) => openPage(`${server.url}/console/${view}`, options) }
}
