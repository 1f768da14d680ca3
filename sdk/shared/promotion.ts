/**
 * Compares the configuration of two API keys and holds the calls that make one like the other. For the command line and
 * the console; not part of the published package.
 */
import type { Client } from '../client.ts'
import { fieldInWords } from '../event-sentences/field-names.ts'
import type { KeyConfig } from '../generated/operations.ts'
import { addSurplus, changed, type Difference, differ, type Fields, type Part, type Promotion } from './differences.ts'
import { compareEndpoints } from './endpoint-differences.ts'
import { openingBy, opensMore } from './opened.ts'
import { compareActivities, compareNotifications } from './service-differences.ts'

export { type Difference, PARTS, type Part, type Promotion } from './differences.ts'

/** Settings that depend on each other, so that each change sets both. */
const ROLES = ['defaultAccessRole', 'accessRoles']
const rolesIn = ({ defaultAccessRole, accessRoles }: KeyConfig) => ({ defaultAccessRole, accessRoles })

const fieldOf = (fields: object, name: string): unknown => (fields as Fields)[name]

/** Settings that identify the key and are not configuration. */
const IDENTITY = ['ownerEmail', 'planInfo']

/** Settings that updates call differently. */
const UPDATED_AS: Readonly<Record<string, string>> = { isPrivateCommentsEnabled: 'enablePrivateComments' }

export async function compare(
  source: Client,
  target: Client,
  parts: readonly Part[],
  deletes: boolean,
): Promise<Promotion> {
  const found: Promotion = { differences: [], byHand: [], onlyInTarget: [] }
  for (const part of parts) await COMPARE[part](source, target, found, deletes)
  return found
}

/** Returns what differences open together, in a sentence: if the access type is one of them, it decides. */
export const openedBy = (differences: readonly Difference[]): string | undefined =>
  (differences.find(({ what }) => what === 'defaultDocumentAccessType') ?? differences.find(({ opens }) => opens))
    ?.opens

type Compare = (source: Client, target: Client, found: Promotion, deletes: boolean) => Promise<void>

const COMPARE: Readonly<Record<Part, Compare>> = {
  async settings(source, target, { differences }) {
    const [wanted, there] = await Promise.all([source.keyConfig.get(), target.keyConfig.get()])
    for (const [name, after] of Object.entries(wanted)) {
      if (IDENTITY.includes(name) || !differ(fieldOf(there, name), after)) continue
      const data = ROLES.includes(name) ? rolesIn(wanted) : { [UPDATED_AS[name] ?? name]: after }
      const opens = opensMore(there, { ...there, ...data }) ? await openingBy(target, data) : undefined
      differences.push({
        ...changed('settings', name, fieldOf(there, name), after),
        ...(opens !== undefined && { opens }),
        make: (client) => client.keyConfig.update(data),
      })
    }
  },

  async domains(source, target, found, deletes) {
    const [wanted, there] = await Promise.all([source.domains.get(), target.domains.get()])
    for (const domain of wanted.allowedDomains.filter((name) => !there.allowedDomains.includes(name)))
      found.differences.push({
        ...{ part: 'domains', what: domain, kind: 'add' },
        make: (client) => client.domains.add({ domains: [domain] }),
      })
    for (const domain of there.allowedDomains.filter((name) => !wanted.allowedDomains.includes(name)))
      addSurplus(found, deletes, {
        ...{ part: 'domains', what: domain, kind: 'remove' },
        make: (client) => client.domains.delete({ domains: [domain] }),
      })
  },

  async email(source, target, found) {
    const [wanted, there] = await Promise.all([source.emailConfig.get(), target.emailConfig.get()])
    const make = (data: object) => (client: Client) => client.emailConfig.update(data)
    compareService('email', EMAIL, wanted, there, found, make)
  },

  async webhooks(source, target, found) {
    const [wanted, there] = await Promise.all([source.webhookConfig.get(), target.webhookConfig.get()])
    const make = (data: object) => (client: Client) => client.webhookConfig.update(data)
    compareService('webhooks', WEBHOOKS, wanted, there, found, make)
    const [signed, signedThere] = await Promise.all([
      source.advancedWebhookConfig.get(),
      target.advancedWebhookConfig.get(),
    ])
    for (const [name, after] of Object.entries(signed)) {
      const before = fieldOf(signedThere, name)
      if (name !== 'enableDataProtection' && differ(before, after))
        found.differences.push({
          ...changed('webhooks', `signed.${name}`, before, after),
          make: (client) => client.advancedWebhookConfig.update({ [name]: after }),
        })
    }
  },

  async provider(source, target, found) {
    const [wanted, there] = await Promise.all([
      source.permissionProviderConfig.get(),
      target.permissionProviderConfig.get(),
    ])
    const make = (data: object) => (client: Client) => client.permissionProviderConfig.update(data)
    compareService('provider', PROVIDER, wanted, there, found, make)
  },

  notifications: compareNotifications,
  activities: compareActivities,

  endpoints: compareEndpoints,
}

/** A service with a secret, and the fields with the URLs to which the secret is sent. */
interface Service {
  onOff: string
  under: string
  secret: string
  sentTo: readonly string[]
}

const EMAIL: Service = { onOff: 'useEmailService', under: 'emailServiceConfig', secret: 'apiKey', sentTo: [] }
const WEBHOOKS: Service = {
  ...{ onOff: 'useWebhookService', under: 'webhookServiceConfig', secret: 'authToken' },
  sentTo: ['rawNotificationUrl', 'processedNotificationUrl'],
}
const PROVIDER: Service = {
  ...{ onOff: 'usePermissionProvider', under: 'permissionProviderConfig', secret: 'authToken' },
  sentTo: ['permissionProviderUrl'],
}

const originOf = (value: unknown): string | undefined => URL.parse(String(value))?.origin

/**
 * Compares the switch of a service and its settings. Secrets are masked by the server and cannot be compared. The secret of the
 * target is not sent to a server of the source: such a URL is set by hand, together with the secret for that server.
 */
function compareService(
  part: Part,
  { onOff, under, secret, sentTo }: Service,
  wanted: object,
  there: object,
  { differences, byHand }: Promotion,
  make: (data: object) => Difference['make'],
): void {
  const [after, before] = [wanted as Fields, there as Fields]
  const [fields, fieldsThere] = [after[under] as Fields, before[under] as Fields]
  const hasSecret = ![undefined, null, ''].includes(fieldsThere[secret] as string)
  const servers = new Set(sentTo.map((name) => originOf(fieldsThere[name])))
  let isWithheld = false
  for (const [name, value] of Object.entries(fields)) {
    const origin = sentTo.includes(name) ? originOf(value) : undefined
    if (name === secret) {
      if (value !== '' && differ(value, fieldsThere[name]))
        byHand.push(`${part}: the ${fieldInWords(name)} is a secret and cannot be copied. Set it by hand.`)
    } else if (!differ(fieldsThere[name], value)) continue
    else if (hasSecret && origin !== undefined && !servers.has(origin)) {
      isWithheld = true
      byHand.push(
        `${part}: the ${fieldInWords(name)} ${value} is on another server, which would get the ${fieldInWords(secret)} of the target. Set both by hand.`,
      )
    } else
      differences.push({ ...changed(part, name, fieldsThere[name], value), make: make({ [under]: { [name]: value } }) })
  }
  // A service whose URL is not copied is not switched on either.
  if (differ(before[onOff], after[onOff]) && !(isWithheld && after[onOff] === true))
    differences.push({ ...changed(part, onOff, before[onOff], after[onOff]), make: make({ [onOff]: after[onOff] }) })
}
