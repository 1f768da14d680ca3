/** Compares the signed webhook endpoints of two API keys. */
import type { Client } from '../client.ts'
import { addSurplus, changed, differ, type Promotion } from './differences.ts'

interface Endpoint {
  id: string
  url: string
  uid: string | null
  description: string | null
  filterTypes: string[] | null
  channels: string[] | null
  rateLimit: number | null
  disabled: boolean
}

const COPIED_FIELDS = ['url', 'description', 'filterTypes', 'channels', 'rateLimit'] as const

const nameOf = ({ uid, url }: Endpoint): string => uid ?? url

export async function compareEndpoints(
  source: Client,
  target: Client,
  found: Promotion,
  deletes: boolean,
): Promise<void> {
  const [wanted, there] = await Promise.all([endpointsOf(source), endpointsOf(target)])
  const { pairs, surplus } = paired(wanted, there)
  for (const [endpoint, like] of pairs) {
    if (like === undefined) addEndpoint(found, endpoint)
    else changeEndpoint(found, like, endpoint)
  }
  for (const endpoint of surplus)
    addSurplus(found, deletes, {
      ...{ part: 'endpoints', what: nameOf(endpoint), kind: 'remove', before: endpoint.url },
      make: (client) => client.webhookEndpoints.delete({ endpointId: endpoint.id }),
    })
}

async function endpointsOf(client: Client): Promise<Endpoint[]> {
  const { isEnabled } = await client.advancedWebhookConfig.get()
  if (!isEnabled) return []
  const all: Endpoint[] = []
  for await (const { data } of client.webhookEndpoints.get.pages()) all.push(...data.endpoints)
  return all
}

const isLike = (one: Endpoint, other: Endpoint): boolean =>
  one.uid === other.uid && (one.uid !== null || one.url === other.url)

const areEqual = (one: Endpoint, other: Endpoint): boolean =>
  COPIED_FIELDS.every((name) => !differ(one[name], other[name]))

/**
 * Matches endpoints by their `uid`, or by their URL if neither has one. Several can have one URL, for other events each: an
 * endpoint has one partner at most, if possible an equal one.
 */
function paired(wanted: readonly Endpoint[], there: readonly Endpoint[]) {
  const left = new Set(there)
  const partners = new Map<Endpoint, Endpoint>()
  for (const fits of [areEqual, () => true])
    for (const endpoint of wanted) {
      if (partners.has(endpoint)) continue
      const partner = [...left].find((other) => isLike(endpoint, other) && fits(endpoint, other))
      if (partner === undefined) continue
      left.delete(partner)
      partners.set(endpoint, partner)
    }
  return { pairs: wanted.map((endpoint) => [endpoint, partners.get(endpoint)] as const), surplus: left }
}

function addEndpoint({ differences, byHand }: Promotion, endpoint: Endpoint): void {
  const fields = ['uid', ...COPIED_FIELDS] as const
  const data = Object.fromEntries(fields.flatMap((name) => (endpoint[name] === null ? [] : [[name, endpoint[name]]])))
  differences.push({
    ...{ part: 'endpoints', what: nameOf(endpoint), kind: 'add', after: endpoint.url },
    make: (client) => client.webhookEndpoints.create({ url: endpoint.url, disabled: endpoint.disabled, ...data }),
  })
  byHand.push(`The endpoint ${nameOf(endpoint)} gets a new secret: configure its receiver with it.`)
}

function changeEndpoint({ differences }: Promotion, before: Endpoint, after: Endpoint): void {
  for (const name of COPIED_FIELDS)
    if (differ(before[name], after[name]))
      differences.push({
        ...changed('endpoints', `${nameOf(after)} ${name}`, before[name], after[name]),
        make: (client) => client.webhookEndpoints.update({ endpointId: before.id, [name]: after[name] }),
      })
}
