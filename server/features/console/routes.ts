/** The route of the overview, which only the console calls; `session-routes.ts` has those of sessions. */
import { NEEDS_TO_READ } from '#http/operator-access.ts'
import type { Pipeline } from '#http/pipeline.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { consoleRoute, NoData } from './call.ts'

export function overviewRoute(
  { app, authentication, limits }: Pipeline,
  overview: (caller: Caller) => Promise<object>,
): void {
  consoleRoute(app, 'overview/get', NoData, 'Overview retrieved.', async (data, request, reply) => {
    const caller = await authentication.apiKey(request, NEEDS_TO_READ)
    await limits.perKey.consume(caller, reply)
    data()
    return overview(caller)
  })
}
