/** Validates URLs that callers choose when they are set. The protection is at the connection (`guarded-agent.ts`). */

import { invalidArgument } from '../status-error.ts'
import { addressInHost, isPublicAddress } from './addresses.ts'

const invalid = (field: string, must: string) => invalidArgument([{ field, message: `${field} must ${must}` }])

/** Refuses a URL with credentials, or with a private address unless those are allowed. An empty URL is valid. */
export function assertOutgoingUrl(field: string, url: string | undefined, allowPrivate: boolean): void {
  if (url === undefined || url === '') return
  const { protocol, hostname, username, password } = URL.parse(url) ?? { protocol: '' }
  if (!/^https?:$/.test(protocol)) throw invalid(field, 'be an http or https URL')
  if (username !== '' || password !== '')
    throw invalid(
      field,
      'not contain a user name or password, because URLs are shown and recorded; the receiver recognizes requests by their signature or token',
    )
  if (allowPrivate) return
  const address = addressInHost(hostname ?? '')
  const isLocal = /^(.*\.)?localhost\.*$/.test(hostname ?? '')
  if (isLocal || (address !== undefined && !isPublicAddress(address)))
    throw invalid(field, 'not have a private address; the operator can allow those with WEBHOOK_ALLOW_PRIVATE')
}
