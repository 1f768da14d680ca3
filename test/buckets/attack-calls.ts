/** Makes calls that try to reach the data of another API key, and finds the faults of their answers. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { listAccountFindings } from '#contract/access/findings.ts'
import { getApiKeys } from '#contract/keys/api-keys.ts'
import { getAuthTokens } from '#contract/keys/auth-tokens.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { listAccountUsage } from '#contract/usage/usage.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { getWorkspace } from '#contract/workspace/workspaces.ts'
import type { Client } from '#testing/client.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'

/** An API key with a secret of its own: the name of its organization. */
export interface Victim {
  label: string
  key: Client
  owner: Client
}

/** Returns the attacks on keys of one server. Each attack returns the faults that it found. */
export function attacksOn(url: string, victims: readonly Victim[]) {
  return { faultOf, pairs, attackAll, listed }

  /** Returns what an answer contains that its caller must not get, or what it lacks. `required`: the caller must get their own data. */
  function faultOf({ label }: Victim, text: string, required: boolean): string[] {
    const foreign = victims.flatMap((other) =>
      other.label !== label && text.includes(other.label) ? [other.label] : [],
    )
    if (text.includes('a decoy')) foreign.push('a decoy')
    const faults = foreign.map((what) => `${label} got ${what}`)
    return required && !text.includes(label) ? [...faults, `${label} got ${text.slice(0, 200)}`] : faults
  }

  /** Calls with the credentials of one key, and names another key everywhere else in the request. */
  async function attack(one: Victim, other: Victim): Promise<string[]> {
    const { headers } = one.key
    const foreign = apiKeyOf(other.key)
    const { token } = await other.key.call(generateToken, { userId: 'ada' })
    const named = (name: string, value: string) => one.key.with({ ...headers, [name]: value })
    const list = getOrganizations.path
    const own = await Promise.all([
      one.key.post(list, {}),
      named('authorization', `Bearer ${token}`).post(list, {}),
      named('cookie', `commonhold-console=${foreign}`).post(list, {}),
      named('x-service-workspace-id', other.owner.headers['x-service-workspace-id'] ?? '').post(list, {}),
      named('x-other-api-key', foreign).post(list, {}),
    ])
    const others = await Promise.all([
      named('x-service-api-key', foreign).post(list, {}),
      named('x-service-api-key', `${apiKeyOf(one.key)}, ${foreign}`).post(list, {}),
      named('x-service-api-key', ` ${foreign}`).post(list, {}),
      one.key.post(`${list}?apiKey=${foreign}&key=${foreign}&x-service-api-key=${foreign}`, {}),
      one.key.post(list, { apiKey: foreign }),
      one.key.raw(list, JSON.stringify({ apiKey: foreign, data: {} })),
    ])
    for (const { http, text } of others.slice(0, 3)) assert.notEqual(http, 200, text)
    return [
      ...own.flatMap(({ text }) => faultOf(one, text, true)),
      ...others.flatMap(({ text }) => faultOf(one, text, false)),
    ]
  }

  /** Pairs each key with the next one (1), or with the one at the same position of the other workspace (3). */
  function pairs(...steps: number[]) {
    return victims.flatMap((one, nth) =>
      steps.map((step) => [one, victims[(nth + step) % victims.length] as Victim] as const),
    )
  }

  async function attackAll(...steps: number[]): Promise<string[]> {
    const faults: string[] = []
    for (const [one, other] of pairs(...steps)) faults.push(...(await attack(one, other)))
    return [...faults, ...(await pipelined()), ...(await listed())]
  }

  /** Sends calls of all keys at once on one connection, some with wrong credentials; each response must belong to its request. */
  async function pipelined(): Promise<string[]> {
    const asked = [...victims, ...victims.toReversed(), ...victims]
    const requests = asked.map(({ key }, nth) => {
      const wrong =
        nth % 4 === 3 ? { 'x-service-auth-token': victims[nth % 5]?.key.headers['x-service-auth-token'] } : {}
      const body = '{"data":{}}'
      const lines = {
        ...key.headers,
        ...wrong,
        host: 'x',
        'content-type': 'application/json',
        'content-length': body.length,
      }
      const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
      return `POST ${getOrganizations.path} HTTP/1.1\r\n${head.join('')}\r\n${body}`
    })
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(requests.join(''))
    const bodies = await bodiesOf(socket, asked.length)
    socket.destroy()
    return asked.flatMap((one, nth) =>
      faultOf(one, bodies[nth] ?? '', nth % 4 !== 3 || nth % 5 === victims.indexOf(one)),
    )
  }

  /** Checks that lists of a workspace have each of its keys once, from the database that has it, whatever rows the others have. */
  async function listed(): Promise<string[]> {
    const faults: string[] = []
    for (const owner of new Set(victims.map(({ owner }) => owner))) {
      const ids = victims.flatMap((victim) => (victim.owner === owner ? [apiKeyOf(victim.key)] : [])).sort()
      const all = await owner.call(getApiKeys, {})
      const named = await owner.call(getApiKeys, { apiKeys: victims.map(({ key }) => apiKeyOf(key)), orderBy: 'name' })
      const { keys } = await owner.call(listAccountUsage, { from: 0 })
      const { apiKeyList } = await owner.call(getWorkspace, {})
      const { findings } = await owner.call(listAccountFindings, {})
      // The test has no list that contains the first key of the workspace.
      const [own] = Object.keys(apiKeyList).filter((id) => !ids.includes(id))
      const check = (what: string, found: readonly string[], expected: readonly string[]) => {
        if (JSON.stringify(found.toSorted()) !== JSON.stringify(expected.toSorted())) faults.push(`${what}: ${found}`)
      }
      check(
        'API keys',
        all.map(({ id }) => id),
        [...ids, own ?? ''],
      )
      check(
        'API keys by name',
        named.map(({ id }) => id),
        ids,
      )
      check(
        'usage',
        keys.map(({ apiKey }) => apiKey),
        [...ids, own ?? ''],
      )
      const kinds = findings.map(({ kind, apiKey }) => `${kind} ${apiKey}`)
      check('findings', [...new Set(kinds)], kinds)
      for (const { key, owner: theirs, label } of victims) {
        const answer = await owner.post(getAuthTokens.path, { apiKey: apiKeyOf(key) })
        if ((answer.http === 200) !== (theirs === owner)) faults.push(`tokens of ${label}: ${answer.http}`)
      }
    }
    return faults
  }
}

async function bodiesOf(socket: AsyncIterable<Buffer>, count: number): Promise<string[]> {
  const bodies: string[] = []
  let rest = ''
  for await (const chunk of socket) {
    rest += chunk.toString('latin1')
    for (let headEnd = rest.indexOf('\r\n\r\n'); headEnd >= 0; headEnd = rest.indexOf('\r\n\r\n')) {
      const end = headEnd + 4 + Number(/content-length: (\d+)/i.exec(rest)?.[1])
      if (rest.length < end) break
      bodies.push(rest.slice(headEnd + 4, end))
      rest = rest.slice(end)
    }
    if (bodies.length === count) break
  }
  return bodies
}
