/** Tools that change access: a preview, which only reads; and the change itself, also of threads, which needs the token of a preview. */
import Type from 'typebox'
import { simulatePermissions } from '#contract/access/simulations.ts'
import { ClosedObject } from '#contract/core/fields.ts'
import type { ResultOf } from '#contract/core/operation.ts'
import { type Report, reportOf } from '../failures.ts'
import { isUncertain } from '../uncertainty.ts'
import { AccessChange, callsOf, type PlannedCall } from './access-change.ts'
import { type Calls, previewed, whyReadOnly } from './previews.ts'
import type { Answer } from './results.ts'
import { READS, type Tool, type ToolContext, tool } from './tool.ts'

/** Pairs of a user and a resource whose access a change may affect: one page, so that all of them are compared before it is made. */
const PAIRS_MAX = 1_000

interface Simulated {
  outcome: ResultOf<typeof simulatePermissions>
  isComplete: boolean
}

async function simulate(change: AccessChange, { call }: Calls): Promise<Simulated> {
  const { data, nextPageToken } = await call(simulatePermissions, { ...change, pageSize: PAIRS_MAX })
  return { outcome: data as Simulated['outcome'], isComplete: nextPageToken === undefined }
}

const previewChange = tool({
  name: 'preview_change',
  title: 'Preview a change of access',
  description:
    'Reports who would gain or lose access to which resources if grants were added (`add`) or revoked (`remove`), access types set (`accessTypes`), or users added to (`join`) or removed from (`leave`) user groups. Nothing is changed. Returns a previewToken for apply_change.',
  input: AccessChange,
  annotations: READS,
  async run(change, context) {
    const { outcome, isComplete } = await simulate(change, context)
    const outcomeNow = async (now: Calls) => (await simulate(change, now)).outcome
    const refused = whyNotApplicable(change, context, isComplete)
    return { data: outcome, own: previewed(context, change, { calls: callsOf(change), outcome, outcomeNow }, refused) }
  },
})

function whyNotApplicable(
  { includeInside = true }: AccessChange,
  context: ToolContext,
  isComplete: boolean,
): string | undefined {
  const readOnly = whyReadOnly(context)
  if (readOnly !== undefined) return readOnly
  if (!includeInside)
    return 'Only the resources that the change names were compared. The change may also affect resources inside them, so a preview for applying it must not set `includeInside` to false.'
  if (!isComplete)
    return `More than ${PAIRS_MAX.toLocaleString('en')} pairs of a user and a resource are affected, more than this server changes at once. A person can make the change in the console or on the command line.`
  return undefined
}

const applyChange = tool({
  name: 'apply_change',
  title: 'Make a previewed change',
  description:
    'Makes a change that preview_change or preview_thread has previewed: `change` exactly as previewed, and its previewToken. It is refused if the change would now have another effect. Show the preview to the person and ask before calling this.',
  input: ClosedObject({
    change: Type.Object({}, { description: 'The input of the preview, unchanged.', additionalProperties: true }),
    previewToken: Type.String({ description: 'Of the preview.', minLength: 1, maxLength: 100 }),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  async run({ change, previewToken }, context) {
    return apply(await context.previews.use(previewToken, change, context), previewToken, context)
  },
})

/** After a call without a response of the server: it may have been made. */
const LOOK_FIRST =
  'No response to the failed call arrived, so it may have been made or not. Read the access or the thread before you preview anything again.'

/** Makes the calls sequentially, and stops at the first failure. Earlier changes remain, and are reported. */
async function apply(calls: readonly PlannedCall[], token: string, { call }: ToolContext): Promise<Answer> {
  const applied: object[] = []
  for (const [index, { operation, data }] of calls.entries()) {
    try {
      const result = await call(operation, data, { idempotencyKey: `${token}-${index}` })
      applied.push({ operation: operation.name, data, result: result.data })
    } catch (error) {
      const report = reportOf(error)
      const failed = { operation: operation.name, data, error: errorOf(report) }
      const notAttempted = calls.slice(index + 1).map((left) => ({ operation: left.operation.name, data: left.data }))
      return {
        isError: true,
        own: {
          outcome: applied.length > 0 ? 'partly applied' : isUncertain(report) ? 'unknown' : 'failed',
          ...(isUncertain(report) && { next: LOOK_FIRST }),
        },
        data: { failed, notAttempted, applied },
      }
    }
  }
  return {
    own: { outcome: applied.some(hasFailedItem) ? 'applied, except for some items' : 'applied' },
    data: { applied },
  }
}

const errorOf = ({ reason, message, next }: Report) => ({ reason, message, next })

/** Returns whether a call succeeded for only some of its items, such as members of a group. */
const hasFailedItem = ({ result }: { result?: object | null }): boolean =>
  Object.values(result ?? {}).some((item) => item?.success === false)

export const CHANGE_TOOLS: readonly Tool[] = [previewChange, applyChange]
