/** The command that finds things by id, name and e-mail address. */
import { runSearch } from '#contract/resources/search.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { table } from '../../terminal/output.ts'
import { column } from '../../terminal/table.ts'

export const SEARCH_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'search',
    operation: runSearch,
    parameters: [
      { flags: '<query>', at: 'query' },
      { flags: '--kind <kind...>', at: 'kinds', help: 'Only these: organization, user, userGroup, folder, document.' },
      { flags: '-o, --org <organization>', at: 'organizationId' },
    ],
    limit: 20,
    show: table([
      column('KIND'),
      column('ID'),
      column('NAME'),
      column('E-MAIL', 'email'),
      column('ORGANIZATION', 'organizationId'),
      column('FOLDER', 'folderId'),
    ]),
    examples: [
      'commonhold search roadmap',
      'commonhold search ada --kind user',
      'commonhold search plan --org acme --kind folder document',
    ],
  },
]
