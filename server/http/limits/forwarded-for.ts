/** Reads the addresses that proxies have added to `X-Forwarded-For` (rules/contract.md#rate-limits). */

import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

/**
 * Leaves only addresses in the header. Some proxies add the port of the caller, which differs for each connection, so
 * one caller would count as many. An entry that is not an address is removed with all entries before it, for which
 * nobody vouches. Without any entry, the caller is the proxy.
 */
export function keepAddresses(headers: IncomingHttpHeaders): void {
  const header = headers['x-forwarded-for']
  if (header === undefined) return
  const entries = String(header).split(',').map(addressIn)
  const kept = entries.slice(entries.lastIndexOf(undefined) + 1)
  if (kept.length === 0) delete headers['x-forwarded-for']
  else headers['x-forwarded-for'] = kept.join(', ')
}

function addressIn(entry: string): string | undefined {
  const text = entry.trim()
  const address = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return isIP(address) === 0 ? undefined : address
}
