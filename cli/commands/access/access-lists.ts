/** Commands for the lists of access. */
import { type EveryoneInside, listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { Page } from '#sdk/options.ts'
import { isTooMuchInside } from '#sdk/shared/access-rows.ts'
import { pagesOf } from '../../connection/calls.ts'
import type { Connection } from '../../connection/connection.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { type Output, type Remark, table } from '../../terminal/output.ts'
import { column, resource } from '../../terminal/table.ts'
import { coloured, plain } from '../../terminal/terminal.ts'
import { OF_RESOURCE, RESOURCE } from '../parameters.ts'
import { DECISION_COLUMNS } from './decisions.ts'

type Users = ResultOf<typeof listPermittedUsers>

/** The list names only users with a grant or a membership. For a public resource it would look like everybody with access. */
const everyoneFirst = ({ everyone, everyoneRole = 'editor' }: Users): Remark | undefined =>
  everyone
    ? {
        sentence: coloured(
          'yellow',
          `Everyone has access as ${everyoneRole}, because the access type is public. The following users have the role of their grant or membership instead:`,
        ),
        json: { everyone: true, everyoneRole },
      }
    : undefined

const everyoneInsideSentence = (inside: EveryoneInside): string =>
  coloured(
    'yellow',
    `Everyone has access to ${inside.resources} ${inside.resources === 1 ? 'resource' : 'resources'} inside as ${plain(inside.accessRole ?? '')}, because ${inside.resources === 1 ? 'it is' : 'they are'} public.`,
  )

const everyoneInsideFirst = ({ everyoneInside }: Users): Remark | undefined =>
  everyoneInside === undefined || everyoneInside.resources === 0
    ? undefined
    : { sentence: everyoneInsideSentence(everyoneInside), json: { everyoneInside } }

/** How many users are counted beside the list. */
const OTHERS = 100

/** The list of users with access to a folder looks as if nobody else had access to its contents. */
async function othersInside(
  connection: Connection,
  data: DataOf<typeof listPermittedUsers>,
): Promise<Remark | undefined> {
  if (data.inside === true || data.resource.type === 'document') return undefined
  const name = resource(data.resource)
  try {
    const pages = pagesOf(connection, listPermittedUsers, { ...data, inside: true, pageSize: OTHERS })
    for await (const page of pages) return othersOn(page, name)
  } catch (error) {
    if (!isTooMuchInside(error)) throw error
    const sentence = `${name} contains too much to list the users with access to something inside. Ask about a folder inside it.`
    return { sentence, json: { tooMuchInside: true } }
  }
  return undefined
}

function othersOn({ data, nextPageToken }: Page<unknown>, name: string): Remark | undefined {
  const { users, everyone, everyoneInside = { resources: 0 } } = data as Users
  const isMore = nextPageToken !== undefined
  const count = `${isMore ? 'At least ' : ''}${users.length} ${users.length === 1 && !isMore ? 'other has' : 'others have'}`
  const others = isMore && users.length === 0 ? 'Others may have' : count
  const sentences = [
    ...(users.length > 0 || isMore
      ? [`${others} access to something inside, without access to ${name} itself. To list them: --inside`]
      : []),
    ...(everyoneInside.resources > 0 ? [everyoneInsideSentence(everyoneInside)] : []),
    ...(everyone
      ? [
          `Grants on something inside are not counted, because everyone has access to ${name} itself. To list them: commonhold access matrix ${name}`,
        ]
      : []),
  ]
  if (sentences.length === 0) return undefined
  const counts = { users: users.length, ...(isMore && { moreUsers: true }) }
  return { sentence: sentences.join('\n'), json: { inside: counts, everyoneInside } }
}

const INSIDE_TABLE = table(
  [column('USER', 'userId'), column('WIDEST ROLE', 'inside.accessRole'), column('RESOURCES', 'inside.resources')],
  'users',
  everyoneInsideFirst,
)
const USERS_TABLE = table([column('USER', 'userId'), ...DECISION_COLUMNS], 'users', everyoneFirst)

export const ACCESS_LIST_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'access users',
    operation: listPermittedUsers,
    parameters: [
      RESOURCE,
      OF_RESOURCE,
      {
        flags: '--inside',
        at: 'inside',
        help: 'List the users who have access to something inside the folder or organization, but not to it.',
      },
      { flags: '--at-least <role>', at: 'atLeast' },
    ],
    show: (data: Partial<DataOf<typeof listPermittedUsers>>): Output =>
      data.inside === true ? INSIDE_TABLE : USERS_TABLE,
    remark: othersInside,
    examples: [
      'commonhold access users document:roadmap --org acme --at-least editor',
      'commonhold access users folder:plans --org acme --inside',
    ],
  },
  {
    name: 'access resources',
    operation: listPermittedResources,
    parameters: [
      { flags: '<user>', at: 'userId' },
      { flags: '-o, --org <organization>', at: 'organizationId' },
      { flags: '--type <type...>', at: 'types', help: 'Only organizations, folders or documents.' },
      { flags: '--folder <folder>', at: 'folderId' },
      { flags: '--at-least <role>', at: 'atLeast' },
    ],
    show: table([column('RESOURCE', '', resource), ...DECISION_COLUMNS], 'resources'),
    examples: ['commonhold access resources ada --org acme --type document'],
  },
]
