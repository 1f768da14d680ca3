/** A load of grants, checks and revocations, while the primary of the database changes. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import type { Client } from '#testing/client.ts'

const organizationId = 'acme'
const resource = { type: 'document', id: 'plan', organizationId } as const
export const dataFor = (userId: string) => ({ user: { userId }, permissions: { resources: [resource] } })

/** The calls that a load has sent, and their answers. */
export class Load {
  readonly granted = new Set<string>()
  readonly revoked = new Set<string>()
  readonly refused = new Map<string, number>()
  wrong: string[] = []
  /** The users who were allowed, with the time of the last such question. */
  readonly allowed = new Map<string, number>()
  /** The time of the last right answer of each kind. */
  lastGrantAt = 0
  lastCheckAt = 0
  #serial = 0
  #ended = false
  readonly #running: Promise<unknown>[]

  constructor(callers: readonly Client[]) {
    this.#running = callers.flatMap((caller) => [this.#change(caller), this.#change(caller), this.#ask(caller)])
    for (const running of this.#running) running.catch(() => {}) // `end` throws it
  }

  async end(): Promise<void> {
    this.#ended = true
    await Promise.all(this.#running)
  }

  /** Grants access, and revokes every third of it. */
  async #change(caller: Client): Promise<void> {
    while (!this.#ended) {
      const userId = `user ${this.#serial++}`
      if (!(await this.#isDone(caller, addPermissions.path, dataFor(userId)))) continue
      this.lastGrantAt = performance.now()
      if (this.#serial % 3 !== 0) this.granted.add(userId)
      else if (await this.#isDone(caller, removePermissions.path, dataFor(userId))) this.revoked.add(userId)
    }
  }

  async #ask(caller: Client): Promise<void> {
    while (!this.#ended) {
      const began = performance.now()
      const [revoked, granted] = [[...this.revoked].slice(-5), [...this.granted].slice(-5)]
      const asked = ['ada', ...revoked, 'nobody', ...granted]
      const checks = asked.map((userId) => ({ userId, resource }))
      const answer = await caller.post(checkPermissions.path, { checks })
      if (!this.#isAnswer(answer)) {
        await sleep(20)
        continue
      }
      const allowed: boolean[] = answer.body.result.data.checks.map(({ allowed }: { allowed: boolean }) => allowed)
      const expected = asked.map((userId) => userId === 'ada' || granted.includes(userId))
      if (!isDeepStrictEqual(allowed, expected)) this.wrong.push(`${asked}: ${allowed}`)
      for (const [nth, userId] of asked.entries()) if (allowed[nth]) this.allowed.set(userId, began)
      this.lastCheckAt = began
    }
  }

  async #isDone(caller: Client, path: string, data: object): Promise<boolean> {
    const answer = await caller.post(path, data)
    const isDone = this.#isAnswer(answer)
    if (!isDone) await sleep(20)
    return isDone
  }

  #isAnswer({ http, body, text }: Awaited<ReturnType<Client['post']>>): boolean {
    if (http === 200) return true
    assert.ok(http === 503 || http === 504, `${http} ${text}`)
    const { reason } = body.error
    this.refused.set(reason, (this.refused.get(reason) ?? 0) + 1)
    return false
  }
}
