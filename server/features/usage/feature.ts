/** The usage of API keys: counted in memory, written every few seconds, read by hour, day and month (ADR 0060). */
import { getUsage, listAccountUsage } from '#contract/usage/usage.ts'
import type { CreateFeature } from '#kernel'
import { countCall } from './calls.ts'
import { startCountingContents } from './contents.ts'
import { startCounting } from './counting.ts'
import { createUsageReads } from './operations.ts'

export const usage: CreateFeature = (kernel) => {
  const counting = kernel.use(startCounting)
  const stopContents = startCountingContents(kernel)
  return {
    routes(routes, { onEnd }) {
      const usage = createUsageReads(kernel)
      routes.withApiKey(getUsage, async (caller, data) => ({ data: await usage.get(caller, data) }))
      routes.withWorkspace(listAccountUsage, (caller, data) => usage.ofWorkspace(caller, data))
      onEnd((call) => countCall(counting.of(call.apiKeyId), call))
    },
    async stop(): Promise<void> {
      await Promise.all([stopContents(), counting.stop()])
    },
  }
}
