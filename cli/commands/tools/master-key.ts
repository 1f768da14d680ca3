/** `master-key`: the key that seals the secrets of an installation. */
import type { Command } from 'commander'
import { addCommand } from '../../command.ts'
import { becomeServer } from '../../connection/server-process.ts'

export function addMasterKey(program: Command): void {
  program
    .command('master-key')
    .summary('The key that seals the secrets of an installation.')
    .description('The key that seals the secrets of an installation.')
    .helpCommand(false)

  addCommand(program, 'master-key reseal', {
    callsServer: false,
    summary: 'Seal all secrets with MASTER_KEY, so that earlier keys are no longer needed.',
    description:
      'Works on the databases with the settings of `serve`: MASTER_KEY is the new key, and MASTER_KEY_PREVIOUS has the earlier ones. First start every server with these settings. On PostgreSQL servers may run meanwhile; stop an embedded one. Start the command again if it was interrupted.',
    examples: ['commonhold master-key reseal --dry-run', 'commonhold master-key reseal'],
    run: ({ options }) =>
      becomeServer([
        ...['master-key', 'reseal'],
        ...(options.dryRun ? ['--dry-run'] : []),
        ...(options.json ? ['--json'] : []),
      ]),
  })
    .option('--dry-run', 'Only count the secrets that an earlier key has sealed.')
    .option('--json', 'Print JSON.')
}
