/**
 * Converts the parts of the API key itself: settings, allowed domains, webhook endpoints. Reports settings that must be
 * configured by hand.
 */

import { filterTypeWarnings } from '#contract/events/event-types.ts'
import { domainFault, normalizeDomain } from '#contract/keys/domain-names.ts'
import { whyNotOffered } from '#contract/not-offered.ts'
import { isOff } from '#contract/validation/ignored.ts'
import { fieldsOf } from '#moving/files/records.ts'
import type { Answer } from './lines.ts'
import { given, type Output, objectOf } from './output.ts'

/** Settings that describe the key itself, or that have the same value for every key in Commonhold. */
const OF_THE_KEY = ['ownerEmail', 'planInfo', 'requireJwtToken']

export function convertKeyConfig({ line, path, item }: Answer, output: Output): void {
  const answered = objectOf(item, line, path, output)
  if (answered === undefined) return
  const { isPrivateCommentsEnabled: enablePrivateComments, ...others } = answered
  const found = { ...others, ...optional({ enablePrivateComments }) }
  const known = fieldsOf('settings')
  for (const [name, value] of Object.entries(found))
    if (!known.includes(name) && !OF_THE_KEY.includes(name) && !isOff(value))
      output.leaveOut(line, 'settings', 'setting_not_moved', `${name} has no counterpart that import can set`)
  const settings = Object.fromEntries(Object.entries(found).filter(([name]) => known.includes(name)))
  if (Object.keys(settings).length > 0) output.add(line, 'settings', { record: 'settings', ...settings })
}

export function convertDomain({ line, item }: Answer, output: Output): void {
  const what = `domain ${item}`
  const domain = typeof item === 'string' ? normalizeDomain(item) : null
  const fault = domainFault(domain)
  if (domain === null || fault !== undefined)
    return void output.refuse(line, what, 'invalid_domain', `a domain ${fault}`)
  if (domain !== item) output.change(line, what, 'domain_normalized', `it is stored as ${domain}`)
  output.add(line, what, { record: 'domain', domain })
}

/** The remarks about endpoints, here and in an export. */
export const isNeverSent = (type: string): boolean => filterTypeWarnings([type]).warnings !== undefined
export const neverSent = (type: string): string => `filterTypes: Commonhold has no events of type ${type}`
export const CREATED_DISABLED = 'it is created disabled, with a new secret: enable it after the switch'

/** An endpoint is moved only if it would receive something, and disabled, so that the copy sends nothing before the switch. */
export function convertEndpoint({ line, path, item }: Answer, output: Output): void {
  const found = objectOf(item, line, path, output)
  if (found === undefined) return
  const { id, url, uid, disabled, description, filterTypes, channels, rateLimit } = found
  const what = `webhook endpoint ${url}`
  const types = Array.isArray(filterTypes) ? filterTypes.map(String) : undefined
  const unsent = types?.filter(isNeverSent) ?? []
  for (const type of unsent) output.leaveOut(line, what, 'event_type_never_sent', neverSent(type))
  const sent = types?.filter((type) => !unsent.includes(type))
  if (sent?.length === 0) {
    const message =
      'Commonhold sends no event of its filterTypes: the endpoint is not moved, and its receiver must be rewritten'
    return void output.leaveOut(line, what, 'endpoint_receives_nothing', message)
  }
  const isMoved = output.add(line, what, {
    record: 'webhookEndpoint',
    uid: given(uid) ?? id,
    url,
    ...optional({ description, filterTypes: sent, channels, rateLimit }),
  })
  if (!isMoved) return
  if (disabled !== true) output.change(line, what, 'endpoint_disabled', CREATED_DISABLED)
  if (types === undefined)
    output.change(line, what, 'other_events', 'it receives the events of Commonhold, which its receiver does not know')
  if (Array.isArray(channels))
    output.change(line, what, 'channels_are_organizations', 'its channels are ids of organizations here')
}

const optional = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => given(value) !== undefined))

const BY_HAND: Readonly<Record<string, string>> = {
  'workspace/webhookconfig/get':
    'basic webhooks are not moved, so that the copy sends nothing: set them after the switch',
  'workspace/emailconfig/get': 'e-mail is not moved, so that the copy sends nothing: set it after the switch',
  'workspace/advancedwebhookconfig/get': 'signed webhooks are enabled by hand: commonhold webhooks enable',
}

/** An answer that no record can hold. */
export function leaveOutAnswer({ line, path }: Answer, output: Output): void {
  const message = BY_HAND[path] ?? whyNotOffered(`/v2/${path}`) ?? 'import has no record for it: set it by hand'
  output.leaveOut(line, path, 'configure_by_hand', message)
}
