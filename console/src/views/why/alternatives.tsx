/** What would change the answer: each entry does so by itself. */
import { List, Stack, Title } from '@mantine/core'
import type { Explanation } from '#sdk/generated/operations.ts'
import { Isolated } from './isolated.tsx'

interface AlternativesProps {
  alternatives: Explanation['alternatives']
  isAllowed: boolean
  /** The ids in the sentences. */
  ids: string[]
}

export function Alternatives({ alternatives, isAllowed, ids }: AlternativesProps) {
  if (alternatives.length === 0) return null
  return (
    <Stack gap="xs" component="section" aria-label="What would change it">
      <Title order={2} size="h4">
        {isAllowed ? 'To end this access, one of' : 'To give access, one of'}
      </Title>
      <List size="sm">
        {alternatives.map(({ sentence }) => (
          <List.Item key={sentence}>
            <Isolated ids={ids}>{sentence}</Isolated>
          </List.Item>
        ))}
      </List>
    </Stack>
  )
}
