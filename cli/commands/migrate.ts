/** Giving a document another id, and watching it happen. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { getMigrationStatus, listMigrations, type Migration, migrateDocument } from '#contract/migrations.ts'
import { printJson, record, showAnswer, table } from '../answers.ts'
import { call } from '../calls.ts'
import { addCommand } from '../command.ts'
import type { Connection } from '../connection.ts'
import type { Exit } from '../exit-codes.ts'
import type { OperationCommand } from '../operation-command.ts'
import { bar, changingLine, isWatched } from '../progress.ts'
import { column, milliseconds } from '../table.ts'
import { coloured, note, plain, print } from '../terminal.ts'
import { ORG } from './structure.ts'

const POLL_MS = 250

export const MIGRATION_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'migrate list',
    operation: listMigrations,
    parameters: [
      ORG,
      { flags: '--doc <document>', at: 'documentId' },
      { flags: '--status <status>', at: 'status', says: 'Only these.' },
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
    summary: 'Give a document another id.',
    description:
      'Calls migrations.migrate. With --watch it waits for the end: 0 when it is completed, 1 when it failed.',
    examples: [
      'commonhold migrate start roadmap roadmap-2027 --org acme --watch',
      'commonhold migrate start roadmap roadmap-2027 --org acme --dry-run',
    ],
    async run({ words: [documentId, newDocumentId], options, connection }) {
      const { org: organizationId, dryRun, watch, json } = options
      const data = { organizationId, documentId, newDocumentId, ...(dryRun === true ? { dryRun } : {}) }
      const answer = (await call(connection(), migrateDocument, data)) as {
        migrationId?: string
        wouldSucceed?: boolean
      }
      if (answer.migrationId !== undefined && watch === true)
        return await untilItEnds(connection(), { organizationId, migrationId: answer.migrationId }, json === true)
      showAnswer(record, answer, migrateDocument.success, json === true)
      return answer.wouldSucceed === false ? 'no' : 'done'
    },
  })
    .argument('<document>', "The document's id now.")
    .argument('<new-document>', 'The id that it gets.')
    .requiredOption(ORG.flags, 'The organization.')
    .option('--dry-run', 'Only say whether it would succeed.')
    .option('-w, --watch', 'Wait until it ends, and show how far it is.')

  addCommand(program, 'migrate status', {
    summary: 'Say how far a migration is.',
    description: 'Calls migrations.get. 1 when it failed.',
    examples: ['commonhold migrate status b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11 --org acme --watch'],
    async run({ words: [migrationId], options, connection }) {
      const asked = { organizationId: options.org, migrationId }
      if (options.watch === true) return await untilItEnds(connection(), asked, options.json === true)
      const migration = (await call(connection(), getMigrationStatus, asked)) as Migration
      showAnswer(record, migration, getMigrationStatus.success, options.json === true)
      return migration.status === 'failed' ? 'no' : 'done'
    },
  })
    .argument('<migration>', 'The migrationId that `migrate start` answered.')
    .requiredOption(ORG.flags, 'The organization.')
    .option('-w, --watch', 'Wait until it ends, and show how far it is.')
}

async function untilItEnds(connection: Connection, asked: object, json: boolean): Promise<Exit> {
  const line = changingLine()
  let told = ''
  for (;;) {
    const migration = (await call(connection, getMigrationStatus, asked)) as Migration
    const { status, percent, error, documentId, newDocumentId } = migration
    if (status === 'completed' || status === 'failed') {
      line.end()
      if (json) printJson(migration)
      else if (status === 'completed')
        print(`${coloured('green', '✓')} ${plain(documentId)} is ${plain(newDocumentId)} now.`)
      else note(`${coloured('red', '✗', process.stderr)} ${plain(error?.message ?? 'It failed.')}`)
      return status === 'failed' ? 'no' : 'done'
    }
    const far = `${status} ${percent} %`
    line.say(`${bar(percent)} ${far}`)
    if (!isWatched() && far !== told) note(far)
    told = far
    await sleep(POLL_MS)
  }
}
