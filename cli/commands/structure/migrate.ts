/** `migrate`: changes the id of a document, and shows the progress. */
import type { Command } from 'commander'
import { getMigrationStatus, listMigrations, type Migration, migrateDocument } from '#contract/resources/migrations.ts'
import { addCommand } from '../../command.ts'
import { call } from '../../connection/calls.ts'
import type { Connection } from '../../connection/connection.ts'
import type { Exit } from '../../exit-codes.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { printJson, record, showResult, table } from '../../terminal/output.ts'
import { watchJob } from '../../terminal/progress.ts'
import { column, milliseconds } from '../../terminal/table.ts'
import { coloured, colouredNote, note, plain, print } from '../../terminal/terminal.ts'
import { ORG } from '../parameters.ts'

export const MIGRATION_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'migrate list',
    operation: listMigrations,
    parameters: [
      ORG,
      { flags: '--doc <document>', at: 'documentId' },
      { flags: '--status <status>', at: 'status', help: 'Only migrations with this status.' },
    ],
    show: table(
      [
        column('MIGRATION', 'migrationId'),
        column('STATUS'),
        column('FROM', 'documentId'),
        column('TO', 'newDocumentId'),
        column('%', 'percent'),
        column('STARTED', 'startedAt', milliseconds),
        column('FINISHED', 'finishedAt', milliseconds),
      ],
      'migrations',
    ),
    examples: ['commonhold migrate list --org acme --status failed'],
  },
]

export function addMigrate(program: Command): void {
  addCommand(program, 'migrate start', {
    summary: 'Change the id of a document.',
    description:
      'Calls migrations.migrate. With --watch it waits for the migration to finish and exits with 0 if it completed, 1 if it failed.',
    examples: [
      'commonhold migrate start roadmap roadmap-2027 --org acme --watch',
      'commonhold migrate start roadmap roadmap-2027 --org acme --dry-run',
    ],
    async run({ words: [documentId, newDocumentId], options, connection }) {
      const { org: organizationId, dryRun, watch, json } = options
      const data = { organizationId, documentId, newDocumentId, ...(dryRun === true ? { dryRun } : {}) }
      const result = (await call(connection(), migrateDocument, data)) as {
        migrationId?: string
        wouldSucceed?: boolean
      }
      if (result.migrationId !== undefined && watch === true)
        return await watchMigration(connection(), { organizationId, migrationId: result.migrationId }, json === true)
      showResult(record, result, [migrateDocument.success], { json: json === true })
      return result.wouldSucceed === false ? 'no' : 'done'
    },
  })
    .argument('<document>', 'The current id of the document.')
    .argument('<new-document>', 'The new id of the document.')
    .requiredOption(ORG.flags, 'The organization.')
    .option('--dry-run', 'Only report whether the migration would succeed.')
    .option('-w, --watch', 'Wait until the migration finishes, and show its progress.')

  addCommand(program, 'migrate status', {
    summary: 'Show the progress of a migration.',
    description: 'Calls migrations.get. Exits with 1 if the migration failed.',
    examples: ['commonhold migrate status b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11 --org acme --watch'],
    async run({ words: [migrationId], options, connection }) {
      const data = { organizationId: options.org, migrationId }
      if (options.watch === true) return await watchMigration(connection(), data, options.json === true)
      const migration = (await call(connection(), getMigrationStatus, data)) as Migration
      showResult(record, migration, [getMigrationStatus.success], { json: options.json === true })
      return migration.status === 'failed' ? 'no' : 'done'
    },
  })
    .argument('<migration>', 'The migrationId from the result of `migrate start`.')
    .requiredOption(ORG.flags, 'The organization.')
    .option('-w, --watch', 'Wait until the migration finishes, and show its progress.')
}

/** Shows the progress until the migration finishes. */
async function watchMigration(connection: Connection, data: object, json: boolean): Promise<Exit> {
  const migration = await watchJob(() => call(connection, getMigrationStatus, data) as Promise<Migration>)
  const { status, error, documentId, newDocumentId } = migration
  if (json) printJson(migration)
  else if (status === 'completed')
    print(`${coloured('green', '✓')} ${plain(documentId)} is now ${plain(newDocumentId)}.`)
  else note(`${colouredNote('red', '✗')} ${plain(error?.message ?? 'The migration failed.')}`)
  return status === 'failed' ? 'no' : 'done'
}
