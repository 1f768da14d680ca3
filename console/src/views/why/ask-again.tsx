/** The latest questions of this browser, each a link that asks it again; Alt ↑ asks the first of them. */
import { Group, Kbd, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { AnchorLink } from '../../links/links.tsx'
import { WHY } from '../../links/paths.ts'
import type { WhySearch } from '../../links/searches.ts'
import { useKey } from '../../session/use-session.ts'
import { keyOfQuestion, type RecentQuestion, recentQuestions } from './recent-questions.ts'

/** Where Alt ↑ has another meaning. */
const KEEPS_KEY = '[role="dialog"], [role="menu"], select, [aria-expanded="true"]'

/** `current` is not among them. */
export function AskAgain({ current }: { current: WhySearch }) {
  const params = { apiKey: useKey().id }
  const navigate = useNavigate()
  const questions = recentQuestions(params.apiKey).filter(
    ({ question }) => keyOfQuestion(question) !== keyOfQuestion(current),
  )
  const first = questions[0]?.question
  useEffect(() => {
    function askFirst(event: KeyboardEvent): void {
      const { key, altKey, ctrlKey, metaKey, shiftKey, target } = event
      if (key !== 'ArrowUp' || !altKey || ctrlKey || metaKey || shiftKey || first === undefined) return
      if (target instanceof Element && target.closest(KEEPS_KEY) !== null) return
      event.preventDefault()
      void navigate({ to: WHY, params, search: first })
    }
    // Before the pickers, for which the key closes a list.
    document.addEventListener('keydown', askFirst, true)
    return () => document.removeEventListener('keydown', askFirst, true)
  })
  if (questions.length === 0) return null
  return (
    <Group component="nav" aria-label="Recent questions" gap="xs" mt="xs" fz="xs">
      <Text span inherit c="dimmed">
        Ask again <Kbd size="xs">Alt ↑</Kbd>
      </Text>
      {questions.map((asked, index) => (
        <AnchorLink
          key={keyOfQuestion(asked.question)}
          inherit
          to={WHY}
          params={params}
          search={asked.question}
          {...(index === 0 && { 'aria-keyshortcuts': 'Alt+ArrowUp' })}
        >
          <Named {...asked} />
        </AnchorLink>
      ))}
    </Group>
  )
}

const Named = ({ question: { userId, id }, user = userId, resource = id }: RecentQuestion) => (
  <>
    <bdi>{user}</bdi> on <bdi>{resource}</bdi>
  </>
)
