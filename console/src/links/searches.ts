/** Validates the URL parameters of the views, so that a link shows a colleague the same. Unknown parameters are dropped. */
import type { SearchSchemaInput } from '@tanstack/react-router'
import type { OrderBy } from '#sdk/generated/operations.ts'
import type { ResourceSearch } from '../resource.ts'
import { idIn } from './search-params.ts'

export interface SortSearch {
  /** The order of the list; absent: by name. */
  orderBy?: Exclude<OrderBy, 'name'>
}

export const sortSearch = ({ orderBy }: SortSearch & SearchSchemaInput): SortSearch =>
  orderBy === 'id' || orderBy === 'name desc' ? { orderBy } : {}

export interface TextSearch {
  /** The text of the search in the list. */
  text?: string
}

export function textSearch({ text }: TextSearch & SearchSchemaInput): TextSearch {
  const words = idIn(text)
  return words === undefined ? {} : { text: words }
}

/** The parameters of a list that can be sorted and searched. */
export interface ListSearch extends SortSearch, TextSearch {}

export const listSearch = (search: ListSearch & SearchSchemaInput): ListSearch => ({
  ...sortSearch(search),
  ...textSearch(search),
})

/** An id without a type names an organization. */
function resourceSearch(search: { [Name in keyof ResourceSearch]?: unknown }): ResourceSearch {
  const id = idIn(search.id)
  const organizationId = idIn(search.organizationId) ?? id ?? ''
  const type = search.type === 'folder' || search.type === 'document' ? search.type : 'organization'
  return { organizationId, type, id: type === 'organization' ? organizationId : (id ?? '') }
}

interface AccessSearch extends ResourceSearch, TextSearch {
  /** The user for whom the link opens the "Give access" dialog. */
  give?: string
  /** The user group for which the link opens it. */
  giveGroup?: string
  /** The link opens the dialog without a user. */
  giving?: true
}

export interface WhySearch extends ResourceSearch {
  userId: string
}

export interface FolderSearch {
  organizationId: string
  /** Absent for the organization itself. */
  folderId?: string
}

export function accessSearch(search: Partial<AccessSearch> & SearchSchemaInput): AccessSearch {
  const [give, giveGroup] = [idIn(search.give), idIn(search.giveGroup)]
  const giving = search.giving === true ? { giving: search.giving } : {}
  return {
    ...resourceSearch(search),
    ...(give !== undefined && { give }),
    ...(giveGroup !== undefined && { giveGroup }),
    ...giving,
    ...textSearch(search),
  }
}

/** `add`: the link opens the dialog that adds an organization. */
export const organizationsSearch = (search: { add?: true } & ListSearch & SearchSchemaInput) => ({
  ...(search.add === true && { add: search.add }),
  ...listSearch(search),
})

export const insideSearch = (search: Partial<ResourceSearch> & SearchSchemaInput): ResourceSearch =>
  resourceSearch(search)

export const whySearch = (search: Partial<WhySearch> & SearchSchemaInput): WhySearch => ({
  ...resourceSearch(search),
  userId: idIn(search.userId) ?? '',
})

export function folderSearch(search: Partial<FolderSearch> & SearchSchemaInput): FolderSearch {
  const folderId = idIn(search.folderId)
  return { organizationId: idIn(search.organizationId) ?? '', ...(folderId !== undefined && { folderId }) }
}

export interface ChangesSearch {
  organizationId: string
  /** The resource whose access is asked about; absent with a user. */
  type?: ResourceSearch['type']
  id?: string
  userId?: string
  /** Unix milliseconds. Absent: seven days ago. */
  from?: number
  /** Absent: now. */
  to?: number
}

const moment = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? Number(value) : undefined)

export function changesSearch({ from, to, ...search }: Partial<ChangesSearch> & SearchSchemaInput): ChangesSearch {
  const userId = idIn(search.userId)
  const subject =
    userId === undefined ? resourceSearch(search) : { organizationId: idIn(search.organizationId) ?? '', userId }
  const [start, end] = [moment(from), moment(to)]
  return { ...subject, ...(start !== undefined && { from: start }), ...(end !== undefined && { to: end }) }
}

export const resourcesSearch = (search: Partial<FolderSearch> & ListSearch & SearchSchemaInput) => ({
  ...folderSearch(search),
  ...listSearch(search),
})

export interface GroupsSearch extends ListSearch {
  organizationId?: string
  groupId?: string
}

export const groupsSearch = (search: GroupsSearch & SearchSchemaInput): GroupsSearch => ({
  ...ids('organizationId', 'groupId')(search),
  ...listSearch(search),
})

export interface ThreadsSearch {
  /** Absent: the first organization. */
  organizationId?: string
  documentId?: string
  userId?: string
  /** The relation of the user to the thread; absent: its author. */
  as?: 'mentioned' | 'assigned'
  state?: 'open' | 'resolved'
  /** An id, which the app chooses. */
  priority?: string
  text?: string
}

export function threadsSearch({
  as,
  state,
  text,
  ...search
}: { [Name in keyof ThreadsSearch]?: ThreadsSearch[Name] } & SearchSchemaInput): ThreadsSearch {
  const words = idIn(text)
  return {
    ...ids('organizationId', 'documentId', 'userId', 'priority')(search),
    ...((as === 'mentioned' || as === 'assigned') && { as }),
    ...((state === 'open' || state === 'resolved') && { state }),
    ...(words !== undefined && { text: words }),
  }
}

interface UserSearch {
  userId: string
  /** Where the access of the user is shown. */
  organizationId?: string
  folderId?: string
}

export const userSearch = ({ userId, ...within }: Partial<UserSearch> & SearchSchemaInput): UserSearch => ({
  userId: idIn(userId) ?? '',
  ...ids('organizationId', 'folderId')(within),
})

export interface UsersSearch extends ListSearch {
  /** Absent for all users of the key. */
  organizationId?: string
  /** Only users who are disabled. */
  disabled?: true
}

export function usersSearch(
  search: { organizationId?: string; disabled?: unknown } & ListSearch & SearchSchemaInput,
): UsersSearch {
  const organizationId = idIn(search.organizationId)
  return {
    ...(organizationId !== undefined && { organizationId }),
    ...(search.disabled === true && { disabled: true }),
    ...listSearch(search),
  }
}

export const accessReviewSearch = (search: { organizationId?: string } & TextSearch & SearchSchemaInput) => ({
  ...ids('organizationId')(search),
  ...textSearch(search),
})

/** Keeps the ids with these names. */
export const ids =
  <Name extends string>(...names: Name[]) =>
  (search: { [Known in Name]?: string } & SearchSchemaInput): { [Known in Name]?: string } => {
    const known: { [Known in Name]?: string } = {}
    for (const name of names) {
      const id = idIn(search[name])
      if (id !== undefined) known[name] = id
    }
    return known
  }
