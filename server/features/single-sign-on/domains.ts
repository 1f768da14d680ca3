/**
 * The domains by which addresses find their workspace at sign-in (rules/operators.md#domains). A domain counts once a TXT
 * record in the DNS, which only its owner can add, names the workspace. A domain that is only claimed leads nobody anywhere.
 */
import { hash } from 'node:crypto'
import { dnsDomainOf } from '#contract/core/addresses.ts'
import type { WorkspaceId } from '#contract/core/ids.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { SsoDomain, SsoProblem, verifySsoDomain } from '#contract/workspace/sso-config.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { constraintOf } from '#platform/db/pg-errors.ts'
import { createTxtLookup, DnsFailed } from '#platform/outbound/txt-records.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import type { WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { changeAccess } from '#tenancy/writes/workspace.ts'
import {
  type DomainRow,
  FIND_WORKSPACE_OF_DOMAIN,
  GET_SSO_DOMAINS,
  LOCK_HOLDER,
  SET_UNVERIFIED,
  SET_VERIFIED,
} from './domain-statements.ts'

/** A name with an underscore is no host, so no service that gives names to its customers gives away this one. */
const recordNameOf = (domain: string): string => `_commonhold-challenge.${domain}`

/** Names the workspace without showing its id to everybody who reads the DNS. */
const recordValueOf = (workspaceId: WorkspaceId, domain: string): string =>
  `commonhold-verification=${hash('sha256', `single sign-on\0${workspaceId}\0${domain}`, 'base64url')}`

/** Returns a domain as it is stored. Throws INVALID_ARGUMENT if it is none. */
function storedDomain(text: string, field: string): string {
  const domain = text.includes('@') ? undefined : dnsDomainOf(text)
  if (domain === undefined) throw invalidArgument([{ field, message: `${field} must be a domain such as example.com` }])
  return domain
}

export const storedDomains = (domains: readonly string[]): string[] => [
  ...new Set(domains.map((text, index) => storedDomain(text, `domains[${index}]`))),
]

export const shownDomain = (workspaceId: WorkspaceId, { domain, verifiedAt }: DomainRow): SsoDomain => ({
  domain,
  ...(verifiedAt !== null && { verifiedAt: verifiedAt.getTime() }),
  recordName: recordNameOf(domain),
  recordValue: recordValueOf(workspaceId, domain),
})

export function createSsoDomains({ config, db }: Kernel) {
  const lookUpTxt = createTxtLookup(config.DNS_SERVERS)

  async function read(session: Session, workspaceId: WorkspaceId, domain: string): Promise<SsoDomain> {
    const row = (await session.run(GET_SSO_DOMAINS, [workspaceId])).find((one) => one.domain === domain)
    if (row === undefined) throw unknownDomain(domain)
    return shownDomain(workspaceId, row)
  }

  /**
   * Gives the domain to the workspace, and takes it from another workspace whose record is gone; both get an event.
   * Returns false, and changes nothing, if the other workspace still has its record.
   */
  async function give(session: Session, caller: WorkspaceCaller, domain: string, records: readonly string[]) {
    const { workspaceId, actor } = caller
    const [holder] = await session.run(LOCK_HOLDER, [domain])
    if (holder?.workspaceId === workspaceId) return true
    if (holder !== undefined) {
      if (records.includes(recordValueOf(holder.workspaceId, domain))) return false
      await session.run(SET_UNVERIFIED, [holder.workspaceId, domain])
      const lost = { type: 'sso_domain.lost', workspaceId: holder.workspaceId, before: { domain } } as const
      await recordStreamEvents(session, [{ ...lost, actor: { system: 'domain verification' } }])
    }
    await session.run(SET_VERIFIED, [workspaceId, domain])
    await recordStreamEvents(session, [{ type: 'sso_domain.verified', workspaceId, actor, after: { domain } }])
    return true
  }

  return {
    /** Looks for the record, and verifies the domain if it is there. */
    async verify(
      caller: WorkspaceCaller,
      data: DataOf<typeof verifySsoDomain>,
    ): Promise<ResultOf<typeof verifySsoDomain>> {
      const { workspaceId } = caller
      const domain = storedDomain(data.domain, 'domain')
      // A caller who may not verify must not learn what is in the DNS either. Nothing is locked while the DNS is asked.
      const { recordName, recordValue } = await changeAccess(db, caller, 'owner', (session) =>
        read(session, workspaceId, domain),
      )
      const records = await lookUpTxt(recordName).catch((error: unknown) => {
        if (error instanceof DnsFailed) return error
        throw error
      })
      const isProved = !(records instanceof DnsFailed) && records.includes(recordValue)
      const problem = isProved ? undefined : problemOf(records, recordName, recordValue)
      if (problem !== undefined) return { domain: await read(db, workspaceId, domain), problem }
      const [verified, isGiven] = await changeAccess(db, caller, 'owner', async (session) => {
        await read(session, workspaceId, domain)
        const given = await give(session, caller, domain, records as string[])
        return [await read(session, workspaceId, domain), given] as const
      }).catch(async (error: unknown) => {
        // Another workspace was faster.
        if (constraintOf(error) !== 'sso_domains__verified__key') throw error
        return [await read(db, workspaceId, domain), false] as const
      })
      return isGiven ? { domain: verified } : { domain: verified, problem: taken(domain) }
    },

    /** Returns the workspace that the addresses at a domain belong to; undefined if none has verified it and offers single sign-on. */
    async find(text: string): Promise<WorkspaceId | undefined> {
      const domain = dnsDomainOf(text)
      if (domain === undefined) return undefined
      return (await db.run(FIND_WORKSPACE_OF_DOMAIN, [domain]))[0]?.workspaceId
    },
  }
}

const unknownDomain = (domain: string) =>
  new StatusError(
    'NOT_FOUND',
    'sso_domain_does_not_exist',
    `${domain} is not one of the domains of single sign-on of this workspace.`,
  )

function problemOf(records: string[] | DnsFailed, name: string, value: string): SsoProblem {
  if (records instanceof DnsFailed)
    return {
      ...{ code: 'dns_failed', setting: 'server' },
      message: `The DNS did not answer the question for ${name} (${records.code}).`,
      next: 'Try again. If it fails again, the name servers of this server or of the domain do not respond.',
    }
  if (records.length === 0)
    return {
      ...{ code: 'record_missing', setting: 'domains' },
      message: `There is no TXT record ${name}.`,
      next: `Add it to the DNS of the domain, with the value ${value}. A new record can take an hour to be seen everywhere.`,
    }
  return {
    ...{ code: 'record_differs', setting: 'domains' },
    message: `The TXT record ${name} has another value.`,
    next: `Add a record with the value ${value}; there may be others beside it.`,
  }
}

const taken = (domain: string): SsoProblem => ({
  ...{ code: 'domain_taken', setting: 'domains' },
  message: `Another workspace of this server has verified ${domain}, and its record is still in the DNS.`,
  next: 'Remove the record of the other workspace, then verify again. Until then, hand out the link for signing in.',
})
