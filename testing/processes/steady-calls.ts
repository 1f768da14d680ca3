/** Calls without a break, while a test replaces the servers that respond to them. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions, type ResourceName } from '#contract/access/permissions.ts'

type Send = (path: string, body: string) => Promise<Pick<Response, 'ok' | 'status' | 'text'>>

interface SteadyCalls {
  resource: ResourceName
  /** How many call at the same time, each waiting for its responses. */
  callers: number
  pauseMs?: number
}

/**
 * Grants access to a resource and asks about it by turns. Returns a function that ends the calls, asserts that each succeeded, and
 * returns their number.
 */
export function callSteadily(send: Send, { resource, callers, pauseMs = 0 }: SteadyCalls): () => Promise<number> {
  const outcomes: (number | string)[] = []
  let sending = true
  const outcomeOf = async (path: string, data: object): Promise<number | string> => {
    try {
      const answer = await send(path, JSON.stringify({ data }))
      const text = await answer.text()
      return answer.ok ? answer.status : `${answer.status} ${text}`
    } catch (error) {
      const { message, cause } = error as Error
      return `${message} ${(cause as Error | undefined)?.message ?? ''}`
    }
  }
  const caller = async (nth: number) => {
    const userId = `u${nth}`
    while (sending) {
      outcomes.push(await outcomeOf(addPermissions.path, { user: { userId }, permissions: { resources: [resource] } }))
      outcomes.push(await outcomeOf(checkPermissions.path, { checks: [{ userId, resource }] }))
      if (pauseMs > 0) await sleep(pauseMs)
    }
  }
  const all = Array.from({ length: callers }, (_, nth) => caller(nth))
  return async () => {
    sending = false
    await Promise.all(all)
    assert.deepEqual(
      outcomes.filter((outcome) => outcome !== 200),
      [],
    )
    return outcomes.length
  }
}
