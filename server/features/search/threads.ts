/** Finds threads by the words of their comments, and describes them (rules/contract.md#search, ADR 0061). */
import type { SearchResult } from '#contract/resources/search.ts'
import { pageInfoOf } from '#features/comments/shared.ts'
import type { Session } from '#platform/db/db.ts'
import { webAddress } from '#tenancy/page-addresses.ts'
import { excerptOf } from './excerpt.ts'
import { isSameThread, LAST_COMMENT, readThreads, type ThreadQuery } from './thread-entries.ts'
import { type CommentRow, DESCRIBE_THREADS, type DescribedThread, FOLD_WORDS } from './thread-statements.ts'

interface Threads {
  threads: SearchResult[]
  /** The position of the next page; undefined: this is the last. */
  end: CommentRow | undefined
}

/** Returns a page of threads. With a `reader`, the page has only threads that the user sees now, and hidden threads do not affect it. */
export async function findThreads(db: Pick<Session, 'run' | 'runSet'>, query: ThreadQuery): Promise<Threads> {
  const { apiKeyId, pageSize } = query
  const [folding] = await db.run(FOLD_WORDS, [apiKeyId, query.query])
  if (folding === undefined || folding.words.length === 0) return { threads: [], end: undefined }
  const { found, scanEnd } = await readThreads(db, query, [folding.words, partsOf(folding.folded)])
  const page = found.slice(0, pageSize)
  const last = page.at(-1)
  const described = page.length === 0 ? [] : await db.runSet(DESCRIBE_THREADS, page)
  const isCut = last !== undefined && found.length > pageSize
  const end = isCut || (last !== undefined && scanEnd !== undefined && isSameThread(last, scanEnd)) ? last : scanEnd
  return {
    threads: described.map((thread) => resultOf(thread, folding.folded, query.reader !== undefined)),
    end: end === last && end !== undefined ? { ...end, commentId: LAST_COMMENT } : end,
  }
}

/** Characters of scripts without spaces: each is a word in the index, which does not know that one follows another. */
const WITHOUT_SPACES =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u312f\u31a0-\u31ff\u3400-\u9fff\u{20000}-\u{3ffff}]{2,}/gu

/** Returns the patterns of a folded query that a text must be like too. */
const partsOf = (folded: string): string[] => (folded.match(WITHOUT_SPACES) ?? []).map((part) => `%${part}%`)

/** Returns the result. A user who sees a thread need not know its folder and organization, only the ids that other calls need. */
function resultOf(
  { annotationId, text, pageInfo, folderId, folderName, organizationName, ...thread }: DescribedThread,
  folded: string,
  isForUser: boolean,
): SearchResult {
  const place = isForUser ? {} : { folderId, folderName, organizationName }
  const page = pageInfoOf(pageInfo ?? {}, annotationId)
  const url = (webAddress(page.commentUrl) ?? webAddress(page.url))?.href
  return {
    kind: 'thread',
    id: annotationId,
    text: excerptOf(text, folded),
    ...Object.fromEntries(
      Object.entries({ ...thread, ...place, url }).filter(([, value]) => value !== null && value !== undefined),
    ),
  }
}
