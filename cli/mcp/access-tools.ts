/** Tools that answer who may do what, and why. */

import { listPermittedResources, listPermittedUsers } from '#contract/access/access-lists.ts'
import { changeOf } from '#contract/access/alternative-changes.ts'
import { checkPermissions } from '#contract/access/decisions.ts'
import { type Explanation, explainPermissions } from '#contract/access/explanations.ts'
import { ClosedObject } from '#contract/core/fields.ts'
import { operationTool, READS, type Tool, tool } from './tool.ts'

const PAGE_SIZE = 50

const checkAccess = operationTool(checkPermissions, {
  name: 'check_access',
  title: 'Check access',
  description:
    'Decides whether users have access to resources: allowed or not, the role, the reason, the resource that gives access, and when it expires. For the whole reasoning about one user and one resource use explain_access.',
})

/** People are always counted, so that an assistant can propose the alternative that affects the fewest. */
const { countPeople: _, ...question } = explainPermissions.data.properties

const explainAccess = tool({
  name: 'explain_access',
  title: 'Explain access',
  description:
    'Explains why a user has access to a resource or not: the rule that decided, every resource from the one in question up to the organization with its access type and the grants of the user, and the alternatives that would reverse the answer. Pass the `change` of an alternative to preview_change unchanged; its `calls` do the same with the API.',
  input: ClosedObject(question),
  annotations: READS,
  async run(query, { call }) {
    const { alternatives, ...explanation } = (await call(explainPermissions, { ...query, countPeople: true }))
      .data as Explanation
    return { data: { ...explanation, alternatives: alternatives.map(withChange) } }
  },
})

function withChange({ sentence, calls, people }: Explanation['alternatives'][number]) {
  const change = changeOf(calls)
  return change === undefined ? { sentence, people, calls } : { sentence, people, change }
}

const whoHasAccess = operationTool(listPermittedUsers, {
  name: 'who_has_access',
  title: 'Who has access',
  description:
    'Lists the users who have access to a resource, each with the role and the reason. `everyone` is true when the resource is public: then users who are not listed have access too. With `inside` it lists the users who have access only to something inside the folder or organization.',
  pageSize: PAGE_SIZE,
})

const whatCanUserAccess = operationTool(listPermittedResources, {
  name: 'what_can_user_access',
  title: 'What a user has access to',
  description:
    'Lists the organization, folders and documents that a user has access to in one organization, each with the role and the reason. Needs the organizationId; the tool get lists the organizations of a user.',
  pageSize: PAGE_SIZE,
})

export const ACCESS_TOOLS: readonly Tool[] = [checkAccess, explainAccess, whoHasAccess, whatCanUserAccess]
