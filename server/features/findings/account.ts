/** Lists the findings of a workspace: about its operators, tokens and API keys (rules/access.md#findings). */
import type { AccountFinding } from '#contract/access/findings.ts'
import type { WorkspaceId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { Warning } from '#contract/core/warnings.ts'
import type { Kernel } from '#kernel'
import type { WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { FIND_KEYS, FIND_UNUSED_WORKSPACE_TOKENS, FIND_WITHOUT_SECOND_FACTOR } from './credential-statements.ts'

export type AccountFindings = ReturnType<typeof createAccountFindings>

export function createAccountFindings({ db, buckets }: Pick<Kernel, 'db' | 'buckets'>) {
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

  return {
    async list({
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

/** Ends the sentence about a token or an API key that nobody uses. */
export const unusedFor = (isUsed: boolean): string =>
  isUsed
    ? `has not been used for ${LIMITS.unusedDays} days`
    : `was created at least ${LIMITS.unusedDays} days ago and has never been used`
