/** `access matrix`: who has access to which resources in a whole folder or organization. */
import { type Command, Option } from 'commander'
import { ACCESS_ROLES } from '#contract/access/permissions.ts'
import type { AccessRole } from '#sdk/generated/operations.ts'
import { ACCESS_COLUMNS, type AccessRow, accessCells, accessRows, type Place } from '#sdk/shared/access-rows.ts'
import { csvRows } from '#sdk/shared/csv-rows.ts'
import { addCommand, type Run } from '../../command.ts'
import { wrongUsage } from '../../failures.ts'
import { showRows, type Table, table } from '../../terminal/output.ts'
import { column, type Format, resource } from '../../terminal/table.ts'
import { plain, write } from '../../terminal/terminal.ts'
import { resourceNamed } from '../../values.ts'
import { DECISION_COLUMNS } from './decisions.ts'

const ROWS_AT_ONCE = 500

export function addAccessMatrix(program: Command): void {
  addCommand(program, 'access matrix', {
    summary: 'List who has access to which resources in a folder or organization.',
    description:
      'Calls permitted-users.list and permitted-resources.list, with an API key and an auth token with the scope read. There is a row for each user and each resource, at any depth, in the order of user ids. A public resource is listed once, for everyone, and again for a user only if the user has another role. If access changes while the command runs, the list may combine several moments.',
    examples: [
      'commonhold access matrix folder:plans --org acme',
      'commonhold access matrix organization:acme --csv > acme.csv',
    ],
    async run({ words, options, connection }) {
      const rows = accessRows(connection().forKey(), placeOf(words, options))
      if (options.csv === true) return writeCsv(rows)
      return showRows(MATRIX, pagesOf(rows), { limit: Number.POSITIVE_INFINITY, json: options.json === true })
    },
  })
    .argument('<resource>', 'organization:ID or folder:ID.')
    .option('-o, --org <organization>', 'The organization of the folder.')
    .addOption(new Option('--at-least <role>', 'Only access with this role or a stronger one.').choices(ACCESS_ROLES))
    .option('--csv', 'Write CSV, which spreadsheets can open.')
}

function placeOf([word]: Run['words'], { org, atLeast, csv, json }: Run['options']): Place {
  const { type, id } = resourceNamed(String(word), '<resource>') as { type: Place['type'] | 'document'; id: string }
  if (type === 'document')
    throw wrongUsage('<resource> must be organization:ID or folder:ID.', 'For a document: commonhold access users')
  if (type === 'folder' && org === undefined) throw wrongUsage('--org is required: the organization of the folder.')
  if (type === 'organization' && org !== undefined && org !== id)
    throw wrongUsage('--org must be the organization itself, or absent.')
  if (csv === true && json === true) throw wrongUsage('--csv and --json exclude each other.')
  const organizationId = String(org ?? id)
  return { type, id, organizationId, ...(atLeast === undefined ? {} : { atLeast: atLeast as AccessRole }) }
}

/** `user:ada`, or `everyone`, which no user id can look like. */
const holder: Format = (row) => {
  const { userId } = row as { userId?: string }
  return userId === undefined ? 'everyone' : plain(`user:${userId}`)
}

const MATRIX = table([column('WHO', '', holder), column('RESOURCE', '', resource), ...DECISION_COLUMNS]) as Table

/** Yields pages of many rows: the columns of a page have one width. */
async function* pagesOf(parts: AsyncIterable<AccessRow[]>) {
  let data: AccessRow[] = []
  for await (const rows of parts) {
    data.push(...rows)
    if (data.length < ROWS_AT_ONCE) continue
    yield { data }
    data = []
  }
  yield { data }
}

async function writeCsv(parts: AsyncIterable<AccessRow[]>): Promise<undefined> {
  write(csvRows([ACCESS_COLUMNS]))
  for await (const rows of parts) write(csvRows(rows.map((row) => accessCells(row).map(plain))))
}
