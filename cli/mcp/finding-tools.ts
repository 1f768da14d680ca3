/** Tools that find and show stored records: by name, by id, and their events. */
import Type from 'typebox'
import { getThreads } from '#contract/comments/threads.ts'
import { ClosedObject } from '#contract/core/fields.ts'
import { callerId, OrganizationId, PageToken } from '#contract/core/ids.ts'
import type { Operation, ResultOf } from '#contract/core/operation.ts'
import { type Event, listEvents } from '#contract/events/events.ts'
import { getDocuments } from '#contract/resources/documents.ts'
import { getFolders } from '#contract/resources/folders.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { runSearch, SearchKind } from '#contract/resources/search.ts'
import { getUserData } from '#contract/users/user-data.ts'
import { getUserGroups } from '#contract/users/user-groups.ts'
import { wrongUsage } from '../failures.ts'
import { operationTool, READS, type Tool, type ToolContext, tool, withPageSize } from './tool.ts'

const PAGE_SIZE = 20

const search = operationTool(runSearch, {
  name: 'search',
  title: 'Search',
  description:
    'Finds organizations, folders, documents, users and user groups by a part of their id, name or e-mail address, and threads by the words of their comments. Use it first when a person or a thing is known by its name: the other tools take ids.',
  pageSize: PAGE_SIZE,
})

type UserData = ResultOf<typeof getUserData>

interface UserQuery {
  userId: string
  organizationId?: string | undefined
  pageToken?: string | undefined
}

/** The maximum number of pages without an organization that are skipped. */
const EMPTY_PAGES_MAX = 10

/** Returns only the requested data about a user. Invitations and events are data about a person too, and have their own tools. */
async function getUser(query: UserQuery, { call }: ToolContext) {
  let page = await call(getUserData, query)
  for (let skipped = 0; skipped < EMPTY_PAGES_MAX; skipped++) {
    const { nextPageToken: pageToken, data } = page
    if (pageToken === undefined || (data as UserData).organizationId !== undefined) break
    page = await call(getUserData, { ...query, pageToken })
  }
  const { organizationId, profile, disabled, grants, userGroups } = page.data as UserData
  const data = { userId: query.userId, profile, disabled, organizationId, grants, userGroups }
  return { data, nextPageToken: page.nextPageToken }
}

const get = tool({
  name: 'get',
  title: 'Get one thing by its id',
  description:
    'Returns an organization, folder, document, user, user group or thread by its id, with name, metadata and place, or with its comments. Folders, documents, user groups and threads need the organizationId. For a user it returns the profile, and the grants and user groups in one organization, by default the first that has any.',
  input: ClosedObject({
    kind: SearchKind,
    id: callerId('The id, not the name.'),
    organizationId: Type.Optional(OrganizationId),
    pageToken: Type.Optional({ ...PageToken, description: 'For the next organization of a user: `nextPageToken`.' }),
  }),
  annotations: READS,
  async run({ kind, id, organizationId, pageToken }, context) {
    if (kind === 'user') return getUser({ userId: id, organizationId, pageToken }, context)
    if (kind === 'organization') return context.call(getOrganizations, { organizationIds: [id] })
    if (organizationId === undefined) throw wrongUsage(`organizationId is required to get a ${kind}.`)
    const [operation, data]: [Operation, object] =
      kind === 'folder'
        ? [getFolders, { folderId: id, maxDepth: 0 }]
        : kind === 'document'
          ? [getDocuments, { documentIds: [id] }]
          : kind === 'thread'
            ? [getThreads, { annotationIds: [id] }]
            : [getUserGroups, { organizationUserGroupIds: [id] }]
    return context.call(operation, { organizationId, ...data })
  },
})

const listChanges = tool({
  name: 'list_changes',
  title: 'List changes',
  description:
    'Lists events, newest first: who changed what and when, with the values before and after. Filter by organization, user, resource, type or time; times are in milliseconds. The auth token needs the scope admin.',
  input: withPageSize(listEvents.data, PAGE_SIZE),
  annotations: READS,
  async run(query, { call }) {
    const page = await call(listEvents, { pageSize: PAGE_SIZE, ...query })
    const { events, hasMore } = page.data as ResultOf<typeof listEvents>
    return {
      data: { events: events.map(withoutAddress), hasMore },
      nextPageToken: hasMore ? page.nextPageToken : undefined,
    }
  },
})

/** The addresses of callers are not requested. */
const withoutAddress = ({ actor: { address: _, ...actor }, ...event }: Event) => ({ ...event, actor })

export const FINDING_TOOLS: readonly Tool[] = [search, get, listChanges]
