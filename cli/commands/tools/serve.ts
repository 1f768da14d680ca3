/** `serve` and `migrate-db`: run the server, and update the schema of its database. */
import type { Command } from 'commander'
import { addCommand } from '../../command.ts'
import { becomeServer } from '../../connection/server-process.ts'

export function addServe(program: Command): void {
  addCommand(program, 'serve', {
    callsServer: false,
    summary: 'Run the server.',
    description:
      'Runs on the embedded engine with its data in ./data, or on PostgreSQL with DATABASE_URL and MASTER_KEY. All settings are environment variables; the file .env in this folder is read too.',
    examples: [
      'commonhold serve',
      'PORT=9000 commonhold serve',
      'DATABASE_URL=postgres://… MASTER_KEY=… commonhold serve',
    ],
    run: () => becomeServer([]),
  })

  addCommand(program, 'migrate-db', {
    callsServer: false,
    summary: 'Update the schema of the database, and exit.',
    description:
      'Takes the settings of `serve`. A server updates the schema when it starts; use this command to update it before.',
    examples: ['DATABASE_URL=postgres://… MASTER_KEY=… commonhold migrate-db'],
    run: () => becomeServer(['migrate']),
  })
}
