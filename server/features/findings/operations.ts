/** Lists the findings of an API key (rules/access.md#findings). */
import { FINDING_KINDS, type Finding, type FindingKind, type listFindings } from '#contract/access/findings.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import { listTroubledWebhooks } from '#features/webhooks/shared.ts'
import type { Kernel } from '#kernel'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey as organizationKeyOf } from '#tenancy/callers/keys.ts'
import { requireOrganization } from '#tenancy/existence.ts'
import { unusedFor } from './account.ts'
import { FIND_UNUSED_TOKENS } from './credential-statements.ts'
import { FIND_GRANTS, type GrantCandidate } from './grant-statements.ts'
import { grantFindings } from './grants.ts'
import { findMisspellings } from './misspellings.ts'
import { type Draft, withOffers } from './offers.ts'
import { FIND_RESOURCES } from './resource-statements.ts'
import { resourceFindings } from './resources.ts'
import { MAY_SAY, SOUNDS_PRIVATE } from './words.ts'

/** The reader of findings: a caller, or an operator to whom they are mailed. */
type Reader = Pick<Caller, 'apiKeyId' | 'workspaceId' | 'defaultAccessType' | 'defaultAccessRole' | 'actor'>

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

export type Findings = ReturnType<typeof createFindings>

export function createFindings({ db }: Pick<Kernel, 'db'>) {
  async function ofKey({ apiKeyId, defaultAccessType }: Reader): Promise<Finding[]> {
    const tokens = await db.run(FIND_UNUSED_TOKENS, [apiKeyId])
    const troubled = await listTroubledWebhooks(db, apiKeyId)
    return [
      ...(defaultAccessType === 'public' ? [PUBLIC_BY_DEFAULT] : []),
      ...troubled.map(
        ({ endpointId, url, failingSince }): Finding => ({
          kind: 'webhook_failing',
          // The host alone: the sentence is mailed, and paths of webhooks often have a secret.
          sentence: `The webhook at ${hostOf(url)} fails.`,
          endpointId,
          calls: [],
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
  }
}

const PUBLIC_BY_DEFAULT: Finding = {
  kind: 'public_by_default',
  sentence: 'Documents and folders without an access type of their own are open to every user of the API key.',
  calls: [{ operation: 'key-config.update', data: { defaultDocumentAccessType: 'restricted' } }],
}
