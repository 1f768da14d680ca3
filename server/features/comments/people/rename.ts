/** Replaces people whom a thread names by others, or removes them (rules/comments.md#people, rules/resources.md#erasure). */
import type { CommentContent, Contact, ThreadContent } from '../content.ts'

/** The replacement of each person: another person, or null for nobody. People who are not in the map stay. */
export type Renaming = ReadonlyMap<string, Contact | null>

/** The text that replaces a mention of an erased user. */
const ERASED_MENTION = '[erased]'

/** Returns the person, another one, or undefined for nobody. */
function renamed(contact: Contact, renaming: Renaming): Contact | undefined {
  const other = renaming.get(contact.userId)
  return other === undefined ? contact : (other ?? undefined)
}

const renamedId = (userId: string, renaming: Renaming): string | undefined => renamed({ userId }, renaming)?.userId

const renamedIds = (ids: readonly string[], renaming: Renaming): string[] => [
  ...new Set(ids.flatMap((userId) => renamedId(userId, renaming) ?? [])),
]

/** Returns whether the object names somebody whom `renaming` has. */
const names = (people: Iterable<string>, renaming: Renaming): boolean => [...people].some((id) => renaming.has(id))

function textRenamed(text: string | undefined, mentions: RegExp, renaming: Renaming): string | undefined {
  return text?.replace(mentions, (mention) => {
    const userId = renamedId(mention.slice(2, -2), renaming)
    return userId === undefined ? ERASED_MENTION : `{{${userId}}}`
  })
}

/** Two users may have become one. */
const eachUserOnce = <Tag extends { userId: string }>(tags: readonly Tag[]): Tag[] =>
  tags.filter(({ userId }, index) => tags.findIndex((tag) => tag.userId === userId) === index)

/** Returns a comment with other people, or the same object if it names none of them. Its author must not become nobody. */
export function commentRenamed(content: CommentContent, renaming: Renaming): CommentContent {
  const { from, taggedUserContacts = [], progress, commentText, commentHtml } = content
  const visible = progress?.visibleToUserIds ?? []
  const tagged = taggedUserContacts.map(({ userId }) => userId)
  if (!names([from.userId, ...tagged, ...visible], renaming)) return content
  const mentioned = tagged.filter((userId) => renaming.has(userId))
  const mentions = new RegExp(mentioned.map((userId) => RegExp.escape(`{{${userId}}}`)).join('|') || '(?!)', 'g')
  return {
    ...content,
    from: renamed(from, renaming) ?? from,
    ...(commentText !== undefined && { commentText: textRenamed(commentText, mentions, renaming) }),
    ...(commentHtml !== undefined && { commentHtml: textRenamed(commentHtml, mentions, renaming) }),
    ...(tagged.length > 0 && {
      taggedUserContacts: eachUserOnce(
        taggedUserContacts.flatMap((tag) => {
          const contact = renamed({ ...tag.contact, userId: tag.userId }, renaming)
          return contact === undefined ? [] : [{ ...tag, userId: contact.userId, contact }]
        }),
      ),
    }),
    ...(progress &&
      visible.length > 0 && {
        progress: { ...progress, visibleToUserIds: renamedIds(visible, renaming) },
      }),
  } as CommentContent
}

/** Returns a thread with other people. `authors` has the replacement of authors who are replaced by nobody. */
export function threadRenamed(content: ThreadContent, renaming: Renaming, authors: Renaming): ThreadContent {
  const { from, assignedTo, statusUpdatedByUserId, resolvedByUserId, visibility, ...own } = content
  const assignee = assignedTo && renamed(assignedTo, renaming)
  const updatedBy = statusUpdatedByUserId && renamedId(statusUpdatedByUserId, renaming)
  const resolvedBy = resolvedByUserId && renamedId(resolvedByUserId, renaming)
  const author = renamed(from, renaming) ?? authors.get(from.userId) ?? from
  return {
    ...own,
    from: author,
    ...(assignee && { assignedTo: assignee }),
    ...(updatedBy && { statusUpdatedByUserId: updatedBy }),
    ...(resolvedBy && { resolvedByUserId: resolvedBy }),
    visibility:
      visibility.type === 'public'
        ? visibility
        : { ...visibility, userIds: [...new Set([...renamedIds(visibility.userIds ?? [], renaming), author.userId])] },
  }
}
