/** Remembers the latest questions about each API key in this browser, without their answers. Signing out deletes them. */
import type { WhySearch } from '../../links/searches.ts'
import { FORGOTTEN_PREFIX } from '../../recent.ts'
import { keepText, keptValue } from '../../storage.ts'

const REMEMBERED_MAX = 6

/** A question with the names it was shown with. */
export interface RecentQuestion {
  question: WhySearch
  user?: string | undefined
  resource?: string | undefined
}

const nameOf = (apiKey: string): string => `${FORGOTTEN_PREFIX}${apiKey} questions`

export const keyOfQuestion = ({ organizationId, type, id, userId }: WhySearch): string =>
  JSON.stringify([organizationId, type, id, userId])

/** Returns the latest questions, latest first. */
export function recentQuestions(apiKey: string): readonly RecentQuestion[] {
  return (keptValue(nameOf(apiKey)) as RecentQuestion[] | undefined) ?? []
}

export function rememberQuestion(apiKey: string, asked: RecentQuestion): void {
  const others = recentQuestions(apiKey).filter(
    ({ question }) => keyOfQuestion(question) !== keyOfQuestion(asked.question),
  )
  keepText(nameOf(apiKey), JSON.stringify([asked, ...others].slice(0, REMEMBERED_MAX)))
}
