/** Identifiers and other strings that many operations use: their patterns, bounds and TypeBox schemas. */
import Type from 'typebox'
import { LIMITS } from './limits.ts'

declare const brand: unique symbol
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name }

/** Identifies a data set (the tenant). Sent in `x-service-api-key`; an identifier, not a secret. */
export type ApiKeyId = Branded<string, 'ApiKeyId'>
export type WorkspaceId = Branded<string, 'WorkspaceId'>
/** The first 128 bits of SHA-256(api key id, 0x00, organizationId) as a uuid; see `server/tenancy/callers/keys.ts`. */
export type OrganizationKey = Branded<string, 'OrganizationKey'>

const CONTROL = '\\x00-\\x1f\\x7f-\\x9f'

/**
 * Ids of callers: no control characters, no white space at either end. Compared byte for byte, case-sensitive, never
 * normalized (rules/data.md#caller-ids). Patterns are in the OpenAPI document, so they use only features that the
 * regular expressions of other languages have too; unpaired surrogates are refused in every string of a body.
 */
export const CALLER_ID_PATTERN = `^([^\\s${CONTROL}]([^${CONTROL}]*[^\\s${CONTROL}])?)?$`

export const EMAIL_PATTERN = '^[^\\s@\\x00-\\x1f]+@[^\\s@\\x00-\\x1f]+$'

/** `says` completes the error message “<field> must …”, which would otherwise have to show a pattern. */
interface Described {
  description?: string
  says?: string
}

export const callerId = (description: string) =>
  Type.String({
    description,
    minLength: 1,
    maxLength: LIMITS.idCharactersMax,
    pattern: CALLER_ID_PATTERN,
    says: 'not have control characters, or white space at its start or end',
  } satisfies Type.TStringOptions & Described)

export const OrganizationId = callerId("The caller's id of the organization.")
export const FolderId = callerId("The caller's id of the folder.")
export const DocumentId = callerId("The caller's id of the document.")
export const UserGroupId = callerId("The caller's id of the user group.")
export const UserId = callerId("The caller's id of the user.")

export const Name = (description: string) =>
  Type.String({ description, minLength: 1, maxLength: LIMITS.nameCharactersMax })

export const Email = (description: string) =>
  Type.String({
    description,
    minLength: LIMITS.emailCharactersMin,
    maxLength: LIMITS.emailCharactersMax,
    pattern: EMAIL_PATTERN,
    says: 'be an e-mail address',
  } satisfies Type.TStringOptions & Described)

/** Empty when there is none. */
export const HttpUrl = (description: string) =>
  Type.String({
    description,
    maxLength: LIMITS.urlCharactersMax,
    pattern: '^(https?://\\S+)?$',
    says: 'be an http or https URL, or empty',
  } satisfies Type.TStringOptions & Described)

/** A list of 1 to 1,000 items, the bound of every batch (rules/contract.md#limits). */
export const Items = <Item extends Type.TSchema>(item: Item, description: string) =>
  Type.Array(item, { description, minItems: 1, maxItems: LIMITS.itemsPerCallMax })

/** Returns the schema of a list that may be empty, which means none. */
export const ItemsOrNone = <Item extends Type.TSchema>(item: Item, description: string) =>
  Type.Array(item, { description, maxItems: LIMITS.itemsPerCallMax })

/** The order of a list that can also be read by name. */
export const OrderBy = Type.Enum(['id', 'name', 'name desc'], {
  description:
    'The order of the list: by id, or by name, without regard to case and accents and with the id in place of a missing name.',
  default: 'id',
})

/** The order of a list by time. */
export const TimeOrder = Type.Enum(['asc', 'desc'], {
  description: 'The order by time: `asc` lists the oldest first, `desc` the newest.',
  default: 'desc',
})

const pageSize = (maximum: number) =>
  Type.Integer({ description: 'Items on a page.', minimum: 1, maximum, default: maximum })

export const PageSize = pageSize(LIMITS.pageSizeMax)
export const PageToken = Type.String({
  description:
    '`nextPageToken` of the previous page. It is opaque, and valid only for the same query. Empty: the first page.',
  minLength: 1,
  maxLength: LIMITS.pageTokenCharactersMax,
  emptyIsAbsent: true,
})

/** The fields of a call that reads a list page by page. */
export const PAGING = { pageSize: Type.Optional(PageSize), pageToken: Type.Optional(PageToken) }

/** The same for pages that people read, which are as short as those of a search. */
export const SEARCH_PAGING = {
  pageSize: Type.Optional(pageSize(LIMITS.searchPageSizeMax)),
  pageToken: Type.Optional(PageToken),
}
