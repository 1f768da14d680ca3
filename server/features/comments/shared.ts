/** Exports of threads and comments for other features. */

export type { ActFacts } from './acts/parts.ts'
export { createReadActs } from './acts/read-acts.ts'
export { checkAgent, checkContext, checkSize, checkVisibility, Faults } from './checks.ts'
export { MENTIONED } from './comments/change-statements.ts'
export { type CommentContent, peopleOfComment, peopleOfThread, type ThreadContent } from './content.ts'
export { createThreadReaders, type ReaderOfThread } from './live/readers.ts'
export { onlyUserOf } from './mailings.ts'
export { eraseFromThreads } from './people/erase.ts'
export { knownPeople } from './people/known.ts'
export { begins, personOf } from './people/persons.ts'
export { listRecipients, type Recipient, type Subject } from './recipients/recipients.ts'
export {
  commentRecord,
  pageInfoOf,
  peopleInComments,
  type Show,
  showing,
  threadRecord,
} from './records.ts'
export { SET_SUBSCRIPTIONS } from './subscriptions/statements.ts'
export { changedFields, joinChangeEvents } from './threads/change-events.ts'
export { usersOfComments } from './threads/new-thread.ts'
export type { StoredComment, StoredThread } from './threads/read-statements.ts'
export { threadDoesNotExist } from './users/access.ts'
export { wordsOf } from './words.ts'
