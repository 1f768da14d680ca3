/**
 * Sends operators the findings of their workspace once a week (rules/operators.md#weekly-mail). A mail is marked as
 * handed over when all of it is ready, right before the server may accept it. So it is never sent twice for one week,
 * and failures before the mark are tried again for a day.
 */
import type { Finding } from '#contract/access/findings.ts'
import type { ApiKeyId, WorkspaceId } from '#contract/core/ids.ts'
import { isAtLeast } from '#contract/workspace/operator-roles.ts'
import { createInstallationMail, Refused } from '#features/mail/shared.ts'
import type { Kernel } from '#kernel'
import type { Claimed } from '#platform/jobs/leased-rows.ts'
import { type JobResult, startWorker, type Worker } from '#platform/jobs/worker.ts'
import { HOLD_WORKSPACE } from '#tenancy/writes/workspace.ts'
import type { AccountFindings } from '../account.ts'
import { FIND_KEYS, type KeyCandidate } from '../credential-statements.ts'
import { ofUnknown } from '../grants.ts'
import { createFindings, type Findings } from '../operations.ts'
import { type Part, weeklyContent } from './content.ts'
import { GET_SUBSCRIBER, SKIP_WEEK, type Subscriber, TAKE_WEEK, WEEKLY_JOBS, type WeeklyJob } from './statements.ts'
import { createWeeklyLinks } from './subscription.ts'

/** The API keys of a workspace that one mail examines. */
const KEYS_MAX = 100

/** The pauses between attempts double up to an hour: as many take about a day. Each examines all keys again. */
const ATTEMPTS_MAX = 30

/** There is no mail this week: another server has handed it over, it is not for this operator any more, or it has nothing to say. */
class NoMail extends Error {}

/** Returns undefined without a mail server. */
export function startWeekly(kernel: Kernel, accountFindings: AccountFindings): Worker | undefined {
  const { buckets, db, log, publicUrl, use } = kernel
  const sendMail = use(createInstallationMail)
  if (sendMail === undefined) return undefined
  const links = createWeeklyLinks(kernel)

  async function work(job: Claimed<WeeklyJob>): Promise<JobResult> {
    const { workspaceId, operatorId, claims } = job
    const skip = () => db.run(SKIP_WEEK, [workspaceId, operatorId])
    const [subscriber] = await db.run(GET_SUBSCRIBER, [workspaceId, operatorId])
    let isTaken = false
    try {
      if (subscriber === undefined || !subscriber.hasSignedIn || !isAtLeast(subscriber.role, 'admin'))
        throw new NoMail('the operator does not get it')
      const unsubscribeLink = links.linkFor(job)
      await sendMail?.(subscriber.email, () => written(job, subscriber, unsubscribeLink), {
        headers: {
          'List-Unsubscribe': `<${unsubscribeLink}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
        async commit() {
          await take(job, subscriber)
          isTaken = true
        },
      })
    } catch (err) {
      if (err instanceof NoMail) await skip()
      else if (isTaken) log.warn({ err, ...job }, 'a weekly mail may not have arrived; it is not sent again')
      else if ((err instanceof Refused && err.isFinal) || claims >= ATTEMPTS_MAX) {
        log.warn({ err, ...job }, 'a weekly mail was not accepted; there is none this week')
        await skip()
      } else throw err
    }
    return 'done'
  }

  const take = ({ workspaceId, operatorId }: WeeklyJob, { email }: Subscriber): Promise<void> =>
    db.transaction(async (session) => {
      await session.run(HOLD_WORKSPACE, [workspaceId])
      const [taken] = await session.run(TAKE_WEEK, [workspaceId, operatorId, email])
      if (taken === undefined) throw new NoMail('there is nothing to send any more')
    })

  /** Returns the mail. Throws `NoMail` if there is nothing to say. */
  async function written(job: WeeklyJob, { name, workspaceName }: Subscriber, unsubscribeLink: string) {
    const { workspaceId, operatorId } = job
    const caller = { workspaceId: workspaceId as WorkspaceId, actor: { operator: { id: operatorId, name } } }
    const keys = await keysOf(caller.workspaceId)
    const parts: Part[] = []
    const account = (await accountFindings.list(caller)).findings.map(({ sentence }) => sentence)
    if (account.length > 0)
      parts.push({ title: 'The workspace', sentences: account, isCut: false, link: `${publicUrl()}/console/` })
    for (const key of keys.slice(0, KEYS_MAX)) parts.push(...(await partOf(key, caller)))
    if (parts.length === 0) throw new NoMail('there is nothing to say')
    return weeklyContent({
      ...{ name, workspaceName, parts },
      keysLeftOut: Math.max(0, keys.length - KEYS_MAX),
      unsubscribeLink,
    })
  }

  /** Returns the API keys of a workspace, each with the findings of the database that it is in. */
  async function keysOf(workspaceId: WorkspaceId): Promise<(KeyCandidate & { findings: Findings })[]> {
    const { found } = await buckets.readKeys(workspaceId, async ({ kernel, has }) => {
      const keys = (await kernel.db.run(FIND_KEYS, [workspaceId])).filter(({ apiKey }) => has(apiKey))
      return keys.map((key) => ({ ...key, findings: kernel.use(createFindings) }))
    })
    return found.flat()
  }

  async function partOf(
    { apiKey, name, defaultAccessType, defaultAccessRole, findings }: KeyCandidate & { findings: Findings },
    caller: Pick<Parameters<Findings['list']>[0], 'workspaceId' | 'actor'>,
  ): Promise<Part[]> {
    const { findings: found, isComplete } = await findings.list(
      { ...caller, apiKeyId: apiKey as ApiKeyId, defaultAccessType, defaultAccessRole },
      {},
    )
    if (found.length === 0) return []
    const link = `${publicUrl()}/console/keys/${encodeURIComponent(apiKey)}/worth-a-look`
    return [{ title: `API key “${name}”`, sentences: found.map(sentenceOf), isCut: !isComplete, link }]
  }

  return startWorker(kernel, WEEKLY_JOBS, work)
}

/** Two organizations may have the same ids, and a mail has no links to them. A misspelt organization is in the sentence. */
const sentenceOf = ({ sentence, resource }: Finding): string =>
  resource?.organizationId === undefined ||
  resource.type === 'organization' ||
  sentence.includes(ofUnknown(resource.organizationId))
    ? sentence
    : `In ${resource.organizationId}: ${sentence}`
