/**
 * Faults that no schema of a record finds, and that every server refuses: a dry run reports them too. Faults that depend on
 * the target, such as an unknown folder, are found only by the import.
 */
import { organizationFault, ROOT, rolesFault } from '#contract/access/permissions.ts'
import { isMailAddress, MUST_BE_MAIL_ADDRESS } from '#contract/core/addresses.ts'
import { countFaults, metadataFaults } from '#contract/core/metadata.ts'
import { domainFault, normalizeDomain } from '#contract/keys/domain-names.ts'
import { targetFaults } from '#contract/resources/invitation-target.ts'
import { InvitedBy } from '#contract/resources/invitations.ts'
import { profileProperties } from '#contract/users/user-records.ts'
import type { DataRecord, OneRecord } from './records.ts'

/** Returns why every server would refuse a record that its schema allows. */
export function faultOf(record: DataRecord): string | undefined {
  if (hasForbiddenKey(record)) return 'a field must not be called "__proto__", nor "prototype" inside "constructor"'
  switch (record.record) {
    case 'settings':
      return record.accessRoles && rolesFault(record.accessRoles)?.message
    case 'domain': {
      const fault = domainFault(normalizeDomain(record.domain))
      return fault && `domain ${fault}`
    }
    case 'user':
      return ownFault(record.profile, 'profile', PROFILE_FIELDS)
    case 'organization':
    case 'document':
      return ownFault(record.metadata, 'metadata', new Set())
    case 'folder':
      return folderFault(record)
    case 'grant':
      return grantFault(record)
    case 'invitation':
      return invitationFault(record)
    default:
      return undefined
  }
}

const PROFILE_FIELDS: ReadonlySet<string> = new Set(Object.keys(profileProperties))
const INVITER_FIELDS: ReadonlySet<string> = new Set(Object.keys(InvitedBy.properties))

/** Whether a parser of the server would refuse a name in an object at any depth, because it could change the object itself. */
function hasForbiddenKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasForbiddenKey)
  if (Object.hasOwn(value, '__proto__')) return true
  const own = Object.hasOwn(value, 'constructor') ? (value as { constructor: unknown }).constructor : undefined
  if (typeof own === 'object' && own !== null && Object.hasOwn(own, 'prototype')) return true
  return Object.values(value).some(hasForbiddenKey)
}

/** Returns the fault of an object with fields of the caller's own, beside those that are known. */
function ownFault(own: object | undefined, where: string, known: ReadonlySet<string>): string | undefined {
  if (own === undefined) return undefined
  const faults = [...countFaults(own, known, where), ...metadataFaults(own as Record<string, unknown>, known, where)]
  return faults[0]?.message
}

function folderFault({ folderId, parentFolderId }: OneRecord<'folder'>): string | undefined {
  if (folderId === ROOT) return `folderId must not be "${ROOT}", which is the top level of the organization`
  return folderId === parentFolderId ? 'parentFolderId must not be the folder itself' : undefined
}

function grantFault({ userId, groupId, type, id, organizationId }: OneRecord<'grant'>): string | undefined {
  if (userId === undefined && groupId === undefined) return 'userId or groupId is required'
  if (userId !== undefined && groupId !== undefined) return 'groupId must not be given together with userId'
  const resource = { type, id, ...(organizationId === undefined ? {} : { organizationId }) }
  return organizationFault(resource, 'grant')?.message.replaceAll('grant.', '')
}

function invitationFault(record: OneRecord<'invitation'>): string | undefined {
  const [fault] = targetFaults(record)
  if (fault !== undefined) return fault.message
  if (!isMailAddress(record.email)) return `email ${MUST_BE_MAIL_ADDRESS}`
  return ownFault(record.invitedBy, 'invitedBy', INVITER_FIELDS)
}
