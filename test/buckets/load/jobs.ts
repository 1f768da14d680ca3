/** Jobs of several transactions in a load: document ids are migrated, access of users is revoked, and users are erased. */
import { setTimeout as sleep } from 'node:timers/promises'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { getMigrationStatus, migrateDocument } from '#contract/resources/migrations.ts'
import { getUserAccessRevocation, revokeUserAccess } from '#contract/users/user-access.ts'
import { deleteUserData, getUserDataDeletion } from '#contract/users/user-data.ts'
import type { Calls } from './calls.ts'

const organizationId = 'with jobs'
const LEFT = ['with jobs', 'another']

const documentOf = (id: string, of = organizationId) => ({ type: 'document' as const, id, organizationId: of })

async function isAllowed(calls: Calls, userId: string, resource: ReturnType<typeof documentOf>): Promise<boolean> {
  const { checks } = await calls.read(checkPermissions, { checks: [{ userId, resource }] })
  return checks[0]?.allowed === true
}

/** Queries the status of a job until it is completed. */
async function completed(calls: Calls, isOver: () => Promise<boolean>): Promise<void> {
  while (!(await isOver())) await sleep(calls.isStopping ? 20 : 200)
}

/** Gives a document one new id after the other. Its reader must have access under each of them. */
export class Migrations {
  readonly #calls: Calls
  #documentId = 'document 0'
  migrated = 0

  constructor(calls: Calls) {
    this.#calls = calls
  }

  async prepare(): Promise<void> {
    const documents = [{ documentId: this.#documentId }]
    await this.#calls.insist(addDocuments, { organizationId, createOrganization: true, documents })
    const resources = [{ ...documentOf(this.#documentId), accessRole: 'viewer' as const }]
    await this.#calls.insist(addPermissions, { user: { userId: 'reader' }, permissions: { resources } })
  }

  async migrate(): Promise<void> {
    const newDocumentId = `document ${this.migrated + 1}`
    const data = { organizationId, documentId: this.#documentId, newDocumentId }
    const started = await this.#calls.insist(migrateDocument, data)
    const { migrationId = '' } = started ?? {}
    await completed(this.#calls, async () => {
      const { status, error } = await this.#calls.read(getMigrationStatus, { organizationId, migrationId })
      if (status === 'failed') throw new Error(`a migration failed: ${JSON.stringify(error)}`)
      return status === 'completed'
    })
    this.migrated++
    this.#documentId = newDocumentId
    await this.verify()
  }

  async verify(): Promise<void> {
    if (!(await isAllowed(this.#calls, 'reader', documentOf(this.#documentId))))
      this.#calls.findings.add(`the reader lost access with the migration to ${this.#documentId}`, '"reader"')
  }
}

/** Revokes all access of users with a job, or erases the users. None of them may have access again. */
export class Leavers {
  readonly #calls: Calls
  readonly left: string[] = []

  constructor(calls: Calls) {
    this.#calls = calls
  }

  async leave(turn: number): Promise<void> {
    const userId = `leaver ${turn}`
    for (const of of LEFT) {
      const resources = [{ ...documentOf('shared', of), accessRole: 'viewer' as const }]
      await this.#calls.insist(addPermissions, { user: { userId }, permissions: { resources } })
    }
    const jobId = (await (turn % 2 === 0 ? this.#revoke(userId) : this.#erase(userId))) ?? ''
    this.left.push(userId)
    for (const of of LEFT)
      if (await isAllowed(this.#calls, userId, documentOf('shared', of)))
        this.#calls.findings.add(`${userId} has access after the job ${jobId}`, JSON.stringify(userId))
  }

  async #revoke(userId: string): Promise<string | undefined> {
    const started = await this.#calls.insist(revokeUserAccess, { userIds: [userId] })
    const { jobId = '' } = started ?? {}
    await completed(this.#calls, async () => {
      const job = await this.#calls.read(getUserAccessRevocation, { jobId })
      if (job.status === 'completed' && job.removed.grants !== LEFT.length)
        throw new Error(`the job ${jobId} removed ${job.removed.grants} grants`)
      return job.status === 'completed'
    })
    return jobId
  }

  async #erase(userId: string): Promise<string | undefined> {
    const started = await this.#calls.insist(deleteUserData, { userIds: [userId] })
    const { jobId = '' } = started ?? {}
    await completed(
      this.#calls,
      async () => (await this.#calls.read(getUserDataDeletion, { jobId })).status === 'completed',
    )
    return jobId
  }

  async verify(): Promise<void> {
    for (const userId of this.left)
      if (await isAllowed(this.#calls, userId, documentOf('shared')))
        this.#calls.findings.add(`${userId} has access at the end`, JSON.stringify(userId))
  }
}
