/** Routes about an API key that only the console calls: the overview and the state of mail. */
import { NEEDS_TO_READ } from '#http/credentials/operator-access.ts'
import type { Pipeline } from '#http/pipeline.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { consoleRoute, NoData } from '../call.ts'

/** Registers the calls by name, each with its message and its function. All count towards the limit of the key. */
export function keyRoutes(
  { app, authentication, limits }: Pipeline,
  calls: Record<string, [message: string, read: (caller: Caller) => Promise<object>]>,
): void {
  for (const [name, [message, read]] of Object.entries(calls))
    consoleRoute(app, { name, ofApiKey: true }, NoData, message, async (data, request, reply) => {
      const caller = await authentication.apiKey(request, NEEDS_TO_READ)
      await limits.perKey.consume(caller, reply)
      data()
      return read(caller)
    })
}
