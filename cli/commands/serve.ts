/** The server, and the schema of its database. */
import type { Command } from 'commander'
import { addCommand } from '../command.ts'
import { becomeServer } from '../server-process.ts'

export function addServe(program: Command): void {
  addCommand(program, 'serve', {
    callsServer: false,
    summary: 'Run the server.',
    description:
      'On the embedded engine with its data in ./data, or on PostgreSQL with DATABASE_URL and MASTER_KEY. All settings are environment variables; a file .env in this folder is read too.',
    examples: [
      'commonhold serve',
      'PORT=9000 commonhold serve',
      'DATABASE_URL=postgres://… MASTER_KEY=… commonhold serve',
    ],
    run: () => becomeServer([]),
  })

  addCommand(program, 'migrate-db', {
    callsServer: false,
    summary: 'Bring the schema of the database up to date, and end.',
    description: 'With the settings of `serve`. A server does that too when it starts; this is for doing it before.',
    examples: ['DATABASE_URL=postgres://… MASTER_KEY=… commonhold migrate-db'],
    run: () => becomeServer(['migrate']),
  })
}
