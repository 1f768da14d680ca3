/** A load of grants, revocations and checks that knows the right answers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import type { Answer, Client } from '#testing/client.ts'
import { REPEATED } from '../bucket-world.ts'
import { Findings } from './findings.ts'

/**
 * Grants and revokes access of one user after the other, and checks each change at once. An answer other than
 * UNAVAILABLE must be right; a change that was refused as UNAVAILABLE may or may not have happened, and its user is not
 * used again.
 */
export class Load {
  acknowledged = 0
  refused = 0
  /** The reasons for which changes were refused. */
  readonly reasons = new Set<string>()
  readonly #allowed = new Map<string, boolean>()
  readonly #ended: Promise<unknown>
  readonly #pauseMs: number
  readonly #findings: Findings
  readonly #servers: number
  #isStopping = false

  /** `pauseMs` is the pause of each worker between two users. */
  constructor(clients: readonly Client[], workers: number, pauseMs = 0, findings = new Findings(clients)) {
    this.#pauseMs = pauseMs
    this.#findings = findings
    this.#servers = clients.length
    this.#ended = Promise.all(
      Array.from({ length: workers }, (_, worker) => this.#work(clients[worker % clients.length] as Client, worker)),
    )
  }

  get wrong(): readonly string[] {
    return this.#findings.wrong
  }

  /** The longest time without an acknowledged change since the last question, in milliseconds. */
  takePause(): number {
    return this.#findings.takePause()
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#ended
  }

  async #work(client: Client, worker: number): Promise<void> {
    const organizationId = `organization ${worker}`
    for (let serial = 0; !this.#isStopping; serial++) {
      if (this.#pauseMs > 0) await sleep(this.#pauseMs)
      const userId = `user ${worker} ${serial}`
      const resource = { type: 'document' as const, id: `document ${serial % 7}`, organizationId }
      const granted = await this.#change(client, addPermissions.path, {
        user: { userId },
        permissions: { resources: [{ ...resource, accessRole: 'viewer' }] },
      })
      if (!granted) continue
      this.#allowed.set(`${userId}\n${JSON.stringify(resource)}`, true)
      // One worker of each server checks at that server: if all workers asked the other server, all would wait while it
      // sleeps.
      const asked = worker < this.#servers ? client : this.#findings.next()
      const isChecked = await this.#check(asked, userId, resource)
      if (serial % 3 !== 0 || !isChecked) continue
      const key = `${userId}\n${JSON.stringify(resource)}`
      this.#allowed.delete(key)
      if (await this.#change(client, removePermissions.path, { userId, permissions: { resources: [resource] } })) {
        this.#allowed.set(key, false)
        await this.#check(asked, userId, resource)
      }
    }
  }

  async #change(client: Client, path: string, data: unknown): Promise<boolean> {
    const answer = await this.#findings.call(client, path, data)
    if (answer?.http === 200) {
      this.acknowledged++
      this.#findings.acknowledge()
      return true
    }
    this.refused++
    if (answer !== undefined) this.reasons.add(answer.body.error?.reason)
    if (answer !== undefined && !REPEATED.includes(answer.http))
      this.#findings.add(`${path}: ${answer.http} ${answer.text}`, JSON.stringify(data))
    await sleep(20)
    return false
  }

  /** Asks a server. Returns whether it responded in time; a later answer is judged by the state at the time of the question. */
  async #check(client: Client, userId: string, resource: object): Promise<boolean> {
    const expected = this.#allowed.get(`${userId}\n${JSON.stringify(resource)}`)
    const judge = ({ http, text, body }: Answer): void => {
      if (REPEATED.includes(http)) return
      if (http === 200 && body.result.data.checks[0].allowed === expected) return
      const asked = `${userId} ${JSON.stringify(resource)}`
      this.#findings.add(`${asked}: ${http} ${text}, expected ${expected}`, JSON.stringify(userId))
    }
    const data = { checks: [{ userId, resource }] }
    const answer = await this.#findings.call(client, checkPermissions.path, data, { judge })
    if (answer !== undefined) judge(answer)
    return answer !== undefined
  }

  /** Checks everything that was acknowledged again. No call may be refused any more. */
  async verify(client: Client): Promise<number> {
    const all = [...this.#allowed]
    for (let from = 0; from < all.length; from += 200) {
      const part = all.slice(from, from + 200)
      const checks = part.map(([key]) => {
        const [userId = '', resource = ''] = key.split('\n')
        return { userId, resource: JSON.parse(resource) }
      })
      const { checks: answers } = await client.call(checkPermissions, { checks })
      part.forEach(([key, expected], nth) => {
        const { allowed } = answers[nth] as { allowed: boolean }
        const [userId] = key.split('\n')
        if (allowed !== expected)
          this.#findings.add(`afterwards, ${key}: ${allowed}, expected ${expected}`, JSON.stringify(userId))
      })
    }
    return all.length
  }
}
