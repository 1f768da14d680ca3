/** Distinguishes public network addresses from internal ones: addresses of this machine, its network or its cloud provider. */
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** Public by their range, but internal: services that a cloud provider offers only to its own machines. */
const PROVIDER_ADDRESSES = new Set(['168.63.129.16'])

/** The allocated range of global IPv6 addresses. Other ranges are reserved or embed other addresses. */
const GLOBAL_IPV6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]
/** IPv4 addresses behind NAT64 (RFC 6052), which are public addresses in an IPv6-only network. */
const NAT64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96]

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !PROVIDER_ADDRESSES.has(address.toString())
}

/** Returns the IPv4 address that an IPv4-mapped or NAT64 address embeds. */
function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  return address.match(NAT64) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : undefined
}

/** Returns whether an address, as written by a resolver or in a URL, is public. In doubt it is not. */
export function isPublicAddress(text: string): boolean {
  if (text.includes('%') || isIP(text) === 0) return false
  const address = ipaddr.parse(text)
  if (address instanceof ipaddr.IPv4) return isPublicIPv4(address)
  const embedded = embeddedIPv4(address)
  if (embedded !== undefined) return isPublicIPv4(embedded)
  return address.range() === 'unicast' && address.match(GLOBAL_IPV6)
}

/** Returns whether an address belongs to this machine. A public address can. */
export function isOwnAddress(text: string): boolean {
  const address = ipaddr.process(text).toString()
  return Object.values(networkInterfaces()).some((all = []) =>
    all.some((own) => ipaddr.process(own.address.replace(/%.*/, '')).toString() === address),
  )
}

/** Returns the address in the host of a URL, without brackets; undefined for a name. */
export function addressInHost(host: string): string | undefined {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) !== 0 || bare.includes(':') ? bare : undefined
}
