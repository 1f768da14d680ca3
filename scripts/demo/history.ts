/** Later changes: renames, moves, people who change departments or leave, migrations, failing webhooks. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '#sdk/index.ts'
import { expectAll, type GoTo } from './fill.ts'
import { memberAt } from './people.ts'

const LARKSPUR = { organizationId: 'larkspur' }
const MIGRATION_WAIT_MS = 30_000
const POLL_MS = 100

/** The domain cannot exist, so every attempt fails. */
export async function addWebhooks(client: Client): Promise<void> {
  await client.advancedWebhookConfig.update({ isEnabled: true })
  await client.webhookEndpoints.create({
    url: 'https://hooks.larkspur.invalid/commonhold',
    description: 'Tells the intranet who lost access',
    filterTypes: ['permission.removed', 'document.migration.completed', 'document.migration.failed'],
  })
  await client.webhookEndpoints.create({
    url: 'https://archive.larkspur.invalid/events',
    description: 'The archive before last',
    disabled: true,
  })
}

export async function addHistory(client: Client, goTo: GoTo): Promise<void> {
  await changeStructure(client)
  await goTo(-4)
  await changePeople(client)
  await goTo(-2)
  await migrate(client, 'launch-plan', 'launch-plan-2027')
  await migrate(client, 'range-plan', 'cost-plan') // fails: the new id exists already
}

async function changeStructure(client: Client): Promise<void> {
  expectAll(
    await client.folders.update({
      ...LARKSPUR,
      folders: [
        { folderId: 'sales-dealers', folderName: 'Dealers and partners' },
        { folderId: 'handbook-onboarding', folderName: 'Your first weeks' },
        { folderId: 'product-cargo-bike-drive-train-suppliers', parentFolderId: 'product-cargo-bike' },
      ],
    }),
  )
  expectAll(
    await client.documents.update({
      ...LARKSPUR,
      documents: [
        { documentId: 'roadmap-draft', documentName: 'Roadmap 2027, draft', reviewed: true },
        { documentId: 'film-brief', documentName: 'Film brief, second version' },
      ],
    }),
  )
  expectAll(
    await client.documents.move({
      ...LARKSPUR,
      documentIds: ['winter-brief', 'winter-calendar', 'winter-results'],
      folderId: 'marketing',
    }),
  )
  expectAll(
    await client.documents.disable({
      ...LARKSPUR,
      documentIds: ['kite-and-co-quote', 'junior-specification', 'company-car-policy', 'tyre-reminder'],
      disabled: true,
    }),
  )
  expectAll(
    await client.documents.disable({
      organizationId: 'harbor-city',
      documentIds: ['velora-offer', 'museum-appeal'],
      disabled: true,
    }),
  )
  expectAll(
    await client.folderAccess.set({ ...LARKSPUR, folderIds: ['people-hiring-candidates'], accessType: 'restricted' }),
  )
}

async function changePeople(client: Client): Promise<void> {
  expectAll(
    await client.userGroups.update({
      ...LARKSPUR,
      organizationUserGroups: [{ groupId: 'support', groupName: 'Customer support' }],
    }),
  )
  for (const place of [9, 10, 11])
    await client.permissions.remove({
      userId: memberAt('Product', place).userId,
      permissions: { resources: [{ type: 'folder', id: 'product-cargo-bike', ...LARKSPUR }] },
    })
  // Left properly: only the profile remains.
  expectAll(await client.users.delete({ ...LARKSPUR, userIds: [memberAt('Support', 9).userId] }))
}

/** Waits until the migration has completed or failed. */
async function migrate(client: Client, documentId: string, newDocumentId: string): Promise<void> {
  const { migrationId = '' } = await client.migrations.migrate({ ...LARKSPUR, documentId, newDocumentId })
  const end = performance.now() + MIGRATION_WAIT_MS
  while ((await client.migrations.get({ ...LARKSPUR, migrationId })).finishedAt === null) {
    if (performance.now() > end) throw new Error(`the migration of ${documentId} does not finish`)
    await sleep(POLL_MS)
  }
}
