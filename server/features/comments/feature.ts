/** Threads of comments on documents. */
import { addComments, deleteComments, getComments, updateComments } from '#contract/comments/comments.ts'
import { listMentionableUsers } from '#contract/comments/mentionable.ts'
import { countThreads, readThreads } from '#contract/comments/seen.ts'
import { setSubscriptions } from '#contract/comments/subscriptions.ts'
import { addThreads, deleteThreads, getThreads, updateThreads } from '#contract/comments/threads.ts'
import type { CreateFeature } from '#kernel'
import { createAddComments } from './comments/add.ts'
import { createComments } from './comments/operations.ts'
import { createListMentionableUsers } from './people/mentionable.ts'
import { createSeen } from './seen/operations.ts'
import { createSetSubscriptions } from './subscriptions/operations.ts'
import { createAddThreads } from './threads/add.ts'
import { createThreadChanges } from './threads/changes.ts'
import { createGetThreads } from './threads/get.ts'

export const comments: CreateFeature = (kernel) => {
  const addedThreads = createAddThreads(kernel)
  const addedComments = createAddComments(kernel)
  return {
    routes(routes) {
      const comments = createComments(kernel)
      const changes = createThreadChanges(kernel)
      const seen = createSeen(kernel)
      const setSubscription = createSetSubscriptions(kernel)
      routes.withApiKeyOrUser(addThreads, addedThreads.add)
      routes.withApiKeyOrUser(getThreads, createGetThreads(kernel))
      routes.withApiKeyOrUser(updateThreads, async (caller, data) => ({ data: await changes.update(caller, data) }))
      routes.withApiKeyOrUser(deleteThreads, async (caller, data) => ({ data: await changes.delete(caller, data) }))
      routes.withApiKeyOrUser(addComments, async (caller, data) => ({ data: await addedComments.add(caller, data) }))
      routes.withApiKeyOrUser(getComments, async (caller, data) => ({ data: await comments.get(caller, data) }))
      routes.withApiKeyOrUser(updateComments, async (caller, data) => ({ data: await comments.update(caller, data) }))
      routes.withApiKeyOrUser(deleteComments, async (caller, data) => ({ data: await comments.delete(caller, data) }))
      routes.withApiKeyOrUser(countThreads, async (caller, data) => ({ data: await seen.count(caller, data) }))
      routes.withApiKeyOrUser(setSubscriptions, async (caller, data) => ({ data: await setSubscription(caller, data) }))
      routes.withApiKeyOrUser(listMentionableUsers, createListMentionableUsers(kernel))
      routes.withApiKeyOrUser(readThreads, async (caller, data) => ({ data: await seen.read(caller, data) }))
    },
    coalescers: [...addedThreads.coalescers, ...addedComments.coalescers],
  }
}
