/** `workspace/usage/get` and `workspace/account/usage/list`: what API keys are used for (rules/keys.md#usage). */
import Type from 'typebox'
import { ClosedObject, Milliseconds } from '../core/fields.ts'
import { Items, PageToken } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { ApiKeyName, KeyType } from '../keys/api-keys.ts'

const USAGE_GRANULARITIES = ['hour', 'day', 'month'] as const

export const UsageGranularity = Type.Enum([...USAGE_GRANULARITIES], {
  description:
    'The length of a period. Hours are kept for two days, days and months for 13 months. All periods begin in UTC.',
  default: 'day',
})
export type UsageGranularity = (typeof USAGE_GRANULARITIES)[number]

/** Above that, active users are estimated (`server/platform/distinct.ts`). */
const ACTIVE_USERS_EXACT_MAX = 159

const count = (description: string) => Type.Integer({ description, minimum: 0 })

/** The counts of one period. */
export const UsagePeriod = Type.Object({
  period: Type.String({ description: 'In UTC: `2026-11-26T14:00Z` for an hour, `2026-11-26` for a day, `2026-11`.' }),
  startsAt: Type.Integer({ description: 'The start of the period, in milliseconds.' }),
  calls: count('Calls with valid credentials of the key, including those that were refused or failed.'),
  refused: count('Calls that got an HTTP status from 400 to 499.'),
  failed: count('Calls that got an HTTP status of 500 or more.'),
  checks: count(
    'Pairs of a user and a resource that `permissions/check`, `permissions/get` and the AuthZEN API have decided.',
  ),
  webhooks: count('Webhook messages that were delivered.'),
  mails: Type.Optional(count('Mails that were sent; absent for hours.')),
  activeUsers: Type.Optional(
    count(
      `Users who called with a user token, got one, or whose access was checked; absent for hours. Exact up to ${ACTIVE_USERS_EXACT_MAX}, above that with a standard error of 3.25 %.`,
    ),
  ),
  organizations: Type.Optional(count('When last counted in the period; absent for hours, and before the first count.')),
  documents: Type.Optional(count('The same of documents, with those that only a grant names.')),
  users: Type.Optional(count('The same of users with a profile.')),
  threads: Type.Optional(count('The same of threads.')),
})
export type UsagePeriod = Type.Static<typeof UsagePeriod>

const range = {
  granularity: Type.Optional(UsageGranularity),
  from: Type.Optional(
    Milliseconds(
      'Periods that end after this time, in **milliseconds**. Default: 24 hours, 30 days or 13 months, with the current period.',
    ),
  ),
  to: Type.Optional(Milliseconds('Periods that begin before this time, in **milliseconds**. Default: now.')),
}

export const getUsage = operation({
  name: 'usage.get',
  path: '/v2/workspace/usage/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get the usage of an API key',
  description:
    'Returns what the API key was used for by hour, day or month of UTC, oldest first; periods without any usage are absent. Calls appear within five seconds, and count in the period in which they are written down. Organizations, documents, users, threads and mails of the current day are counted by this call.',
  data: ClosedObject(range, { isPeriod: true }),
  result: Type.Object({ granularity: UsageGranularity, periods: Type.Array(UsagePeriod) }),
  success: 'Usage retrieved successfully.',
  example: { granularity: 'day' },
})

export const listAccountUsage = operation({
  name: 'account-usage.list',
  path: '/v2/workspace/account/usage/list',
  credentials: 'workspace',
  summary: 'List the usage of the API keys of the workspace',
  description:
    'Returns the same as `workspace/usage/get` for every API key of the workspace, in the order of their ids. Counts of organizations, documents, users, threads and mails are at most an hour old. Deleting a key deletes its usage.',
  data: ClosedObject(
    {
      ...range,
      apiKeys: Type.Optional(Items(ApiKeyName, 'Only these. Names that are not keys of the workspace are ignored.')),
      pageSize: Type.Optional(
        Type.Integer({
          description: 'API keys on a page.',
          minimum: 1,
          maximum: LIMITS.usageKeysPageSizeMax,
          default: LIMITS.usageKeysPageSizeMax,
        }),
      ),
      pageToken: Type.Optional(PageToken),
    },
    { isPeriod: true },
  ),
  result: Type.Object({
    granularity: UsageGranularity,
    keys: Type.Array(
      Type.Object({
        apiKey: Type.String(),
        apiKeyName: Type.String(),
        type: KeyType,
        periods: Type.Array(UsagePeriod),
      }),
    ),
  }),
  success: 'Usage listed successfully.',
  example: { granularity: 'month', apiKeys: ['chk_test_example'] },
})

export const USAGE_OPERATIONS = [getUsage, listAccountUsage]
