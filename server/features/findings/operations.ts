/** Lists the findings of an API key and of a workspace (rules/access.md#findings). */
import {
  type AccountFinding,
  FINDING_KINDS,
  type Finding,
  type FindingKind,
  type listFindings,
} from '#contract/access/findings.ts'
import type { WorkspaceId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { Warning } from '#contract/core/warnings.ts'
import { summarizeWebhooks } from '#features/webhooks/shared.ts'
import type { Kernel } from '#kernel'
import type { Caller, WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { organizationKey as organizationKeyOf } from '#tenancy/callers/keys.ts'
import { requireOrganization } from '#tenancy/existence.ts'
import { grantFindings, spoken } from './grants.ts'
import { findMisspellings } from './misspellings.ts'
import { type Draft, withOffers } from './offers.ts'
import {
  FIND_GRANTS,
  FIND_KEYS,
  FIND_RESOURCES,
  FIND_UNUSED_TOKENS,
  FIND_UNUSED_WORKSPACE_TOKENS,
  FIND_WITHOUT_SECOND_FACTOR,
  type GrantCandidate,
  type ResourceCandidate,
} from './statements.ts'
import { MAY_SAY, SOUNDS_PRIVATE } from './words.ts'

/** Who reads findings: a caller, or an operator to whom they are mailed. */
type Reader = Pick<Caller, 'apiKeyId' | 'workspaceId' | 'defaultAccessType' | 'defaultAccessRole' | 'actor'>

export type Findings = ReturnType<typeof createFindings>

export function createFindings({ db, buckets }: Pick<Kernel, 'db' | 'buckets'>) {
  /** Returns the keys of a workspace in the order of their names, without those whose database cannot be reached. */
  async function keysOf(workspaceId: WorkspaceId) {
    const { found, ...warned } = await buckets.readKeys(
      workspaceId,
      async ({ kernel, has }) => (await kernel.db.run(FIND_KEYS, [workspaceId])).filter(({ apiKey }) => has(apiKey)),
      { leavesOut: true },
    )
    const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))
    const keys = found.flat()
    if (found.length > 1) keys.sort((one, other) => compare(one.name, other.name) || compare(one.apiKey, other.apiKey))
    return { keys, ...warned }
  }

  async function ofKey({ apiKeyId, defaultAccessType }: Reader): Promise<Finding[]> {
    const tokens = await db.run(FIND_UNUSED_TOKENS, [apiKeyId])
    const { troubled } = await summarizeWebhooks(db, apiKeyId)
    return [
      ...(defaultAccessType === 'public' ? [PUBLIC_BY_DEFAULT] : []),
      ...troubled.map(
        ({ endpointId, failingSince }): Finding => ({
          ...{ kind: 'webhook_failing', sentence: `The webhook ${endpointId} fails.`, endpointId, calls: [] },
          ...(failingSince !== null && { since: failingSince }),
        }),
      ),
      ...tokens.map(
        ({ tokenId, name, since, isUsed }): Finding => ({
          ...{
            kind: 'token_unused',
            sentence: `The auth token ${name} ${unusedFor(isUsed)}.`,
            tokenId,
            since: since.getTime(),
          },
          calls: [{ operation: 'auth-tokens.revoke', data: { apiKey: apiKeyId, authTokenId: tokenId } }],
        }),
      ),
    ]
  }

  return {
    async list(
      caller: Reader,
      { organizationId, kinds }: DataOf<typeof listFindings>,
    ): Promise<ResultOf<typeof listFindings>> {
      const key = organizationId === undefined ? null : organizationKeyOf(caller, organizationId)
      if (key !== null) await requireOrganization(db, key)
      const { apiKeyId } = caller
      const wanted = FINDING_KINDS.filter((kind) => kinds === undefined || kinds.includes(kind))
      // A token of one API key must not learn about the users of another.
      const workspaceId = caller.actor.operator === undefined ? null : caller.workspaceId
      const resources = await db.run(FIND_RESOURCES, [apiKeyId, key, SOUNDS_PRIVATE])
      const grants = await db.run(FIND_GRANTS, [apiKeyId, workspaceId, key, MAY_SAY])
      const candidates = grants.filter((row): row is GrantCandidate => row.id !== null)
      const meant = await findMisspellings(db, caller, wanted.includes('grant_not_added') ? candidates : [])
      const all = [
        ...(key === null ? await ofKey(caller) : []),
        ...resources.flatMap((row) => (row.id === null ? [] : resourceFindings(row))),
        ...candidates.flatMap((row) => grantFindings(row, meant(row))),
      ]
      const byKind = Map.groupBy<FindingKind, Draft>(all, ({ kind }) => kind)
      const scanned = Math.max(resources[0]?.scanned ?? 0, grants[0]?.scanned ?? 0)
      return {
        findings: await withOffers(
          db,
          caller,
          wanted.flatMap((kind) => byKind.get(kind)?.slice(0, LIMITS.findingsPerKindMax) ?? []),
        ),
        isComplete:
          scanned <= LIMITS.findingsExaminedMax &&
          wanted.every((kind) => (byKind.get(kind)?.length ?? 0) <= LIMITS.findingsPerKindMax),
      }
    },

    async ofWorkspace({
      workspaceId,
    }: Pick<WorkspaceCaller, 'workspaceId'>): Promise<{ findings: AccountFinding[]; warnings?: Warning[] }> {
      const [operators, tokens, { keys, ...warned }] = [
        await db.run(FIND_WITHOUT_SECOND_FACTOR, [workspaceId]),
        await db.run(FIND_UNUSED_WORKSPACE_TOKENS, [workspaceId]),
        await keysOf(workspaceId),
      ]
      const isPublic = keys.filter(({ defaultAccessType }) => defaultAccessType === 'public')
      return {
        findings: [
          ...operators.map(
            ({ operatorId, name, role, since }): AccountFinding => ({
              ...{ kind: 'no_second_factor', sentence: `${name} is an ${role} and has no passkey.`, operatorId },
              ...{ since: since.getTime(), calls: [] },
            }),
          ),
          ...(isPublic.length === keys.length ? [] : isPublic).map(
            ({ apiKey, name }): AccountFinding => ({
              ...{
                kind: 'settings_differ',
                sentence: `In ${name} documents are public by default; in other API keys they are not.`,
                apiKey,
              },
              calls: [],
            }),
          ),
          ...tokens.map(
            ({ tokenId, name, since, isUsed }): AccountFinding => ({
              ...{
                kind: 'workspace_token_unused',
                sentence: `The workspace token ${name} ${unusedFor(isUsed)}.`,
                tokenId,
              },
              ...{ since: since.getTime(), calls: [{ operation: 'workspace-tokens.revoke', data: { tokenId } }] },
            }),
          ),
          ...keys
            .filter(({ isUnused }) => isUnused)
            .map(
              ({ apiKey, name, lastUsedAt, createdAt }): AccountFinding => ({
                ...{
                  kind: 'api_key_unused',
                  sentence: `The API key ${name} ${unusedFor(lastUsedAt !== null)}.`,
                  apiKey,
                },
                ...{
                  since: (lastUsedAt ?? createdAt).getTime(),
                  calls: [{ operation: 'api-keys.disable', data: { apiKey } }],
                },
              }),
            ),
        ],
        ...warned,
      }
    },
  }
}

const PUBLIC_BY_DEFAULT: Finding = {
  kind: 'public_by_default',
  sentence: 'Documents and folders without an access type of their own are open to every user of the API key.',
  calls: [{ operation: 'key-config.update', data: { defaultDocumentAccessType: 'restricted' } }],
}

const unusedFor = (isUsed: boolean): string =>
  isUsed
    ? `has not been used for ${LIMITS.unusedDays} days`
    : `was created at least ${LIMITS.unusedDays} days ago and has never been used`

function resourceFindings(row: ResourceCandidate): Finding[] {
  const { type, id, name, organizationId, changedAt } = row
  const what = spoken(type, id, name)
  const ids = { organizationId, [type === 'folder' ? 'folderIds' : 'documentIds']: [id] }
  const setAccess = (access: object) => [{ operation: `${type}-access.set`, data: { ...ids, ...access } }]
  const finding = (kind: FindingKind, sentence: string, calls: Finding['calls']): Finding => ({
    ...{ kind, sentence, resource: { type, id, organizationId }, calls },
    ...(name !== null && { resourceName: name }),
    ...(changedAt !== null && { since: changedAt.getTime() }),
  })
  const subject = `T${what.slice(1)}`
  return [
    ...(row.isPublicInRestricted
      ? [
          finding(
            'public_in_restricted',
            `${subject} is public, in a restricted folder.`,
            // As open as the folder: an access type of its own would shut out the people with grants there.
            setAccess({ inheritFromParent: true }),
          ),
        ]
      : row.isPublic
        ? [
            finding(
              'public_private_name',
              `${subject} is public, and its name sounds private.`,
              setAccess({ accessType: 'restricted' }),
            ),
          ]
        : []),
    ...(row.isClosedInside
      ? [
          finding(
            'closed_inside',
            `${subject} is restricted, and people with grants on the folder cannot open it.`,
            setAccess({ inheritFromParent: true }),
          ),
        ]
      : []),
    ...(row.isDisabledWithGrants
      ? [
          finding('disabled_with_grants', `${subject} is disabled, although people have grants.`, [
            { operation: `${type}s.disable`, data: { ...ids, disabled: false } },
          ]),
        ]
      : []),
  ]
}
