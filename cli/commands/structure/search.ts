/** The command that finds things by id, name and e-mail address, and threads by their text. */
import { runSearch, type SearchResult } from '#contract/resources/search.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { table } from '../../terminal/output.ts'
import { column, written } from '../../terminal/table.ts'

const nameOrText = (found: unknown): string => {
  const { name, text } = found as SearchResult
  return written(name ?? text)
}

export const SEARCH_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'search',
    operation: runSearch,
    parameters: [
      { flags: '<query>', at: 'query' },
      {
        flags: '--kind <kind...>',
        at: 'kinds',
        help: 'Only results of these kinds: organization, user, userGroup, folder, document, thread.',
      },
      { flags: '-o, --org <organization>', at: 'organizationId' },
      { flags: '--user <user>', at: 'userId' },
    ],
    limit: 20,
    show: table([
      column('KIND'),
      column('ID'),
      // A thread has no name: its text takes the place of the name.
      column('NAME', '', nameOrText),
      column('E-MAIL', 'email'),
      column('ORGANIZATION', 'organizationId'),
      column('FOLDER', 'folderId'),
      column('DOCUMENT', 'documentId'),
      column('LINK', 'url'),
    ]),
    examples: [
      'commonhold search roadmap',
      'commonhold search ada --kind user',
      'commonhold search plan --org acme --kind folder document',
      'commonhold search budget --kind thread --user ada',
    ],
  },
]
