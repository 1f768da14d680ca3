/** The changes that would reverse the answer, each by itself. */
import { List, Stack, Text, Title } from '@mantine/core'
import type { Explanation } from '#sdk/generated/operations.ts'
import { affectedInWords } from '#sdk/shared/affected-people.ts'
import { NamedSentence } from './named-sentence.tsx'
import type { Thing } from './things.ts'

interface AlternativesProps {
  alternatives: Explanation['alternatives']
  isAllowed: boolean
  /** The names in the sentences. */
  things: readonly Thing[]
}

export function Alternatives({ alternatives, isAllowed, things }: AlternativesProps) {
  if (alternatives.length === 0) return null
  return (
    <Stack gap="xs" component="section" aria-label="What would change it">
      <Title order={2} size="h4">
        {isAllowed ? 'To end this access, one of' : 'To give access, one of'}
      </Title>
      <List size="sm">
        {alternatives.map(({ sentence, people }) => (
          <List.Item key={sentence}>
            <NamedSentence things={things}>{sentence}</NamedSentence>
            {people !== undefined && (
              <Text span size="sm" c="dimmed">
                {' '}
                {affectedInWords(people, isAllowed)}
              </Text>
            )}
          </List.Item>
        ))}
      </List>
    </Stack>
  )
}
