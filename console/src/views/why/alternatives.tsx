/** The changes that would reverse the answer, each by itself, with a preview of those that change one grant or access type. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useId } from 'react'
import type { Explanation } from '#sdk/generated/operations.ts'
import { affectedInWords } from '#sdk/shared/affected-people.ts'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { useKey } from '../../session/use-session.ts'
import { type Change, neededFor, type Place } from '../access/change/change.ts'
import { fixOf, placeOf } from '../access/change/fix.ts'
import { NamedSentence } from './named-sentence.tsx'
import type { Thing } from './named-things.ts'

type Alternative = Explanation['alternatives'][number]

interface AlternativesProps {
  explanation: Explanation
  /** The names in the sentences. */
  things: readonly Thing[]
  onStart: (place: Place, change: Change) => void
}

export function Alternatives({ explanation, things, onStart }: AlternativesProps) {
  const { alternatives, chain, decision } = explanation
  const id = useId()
  const key = useKey()
  if (alternatives.length === 0) return null
  return (
    <Stack gap="xs" component="section" aria-label="What would change it">
      <Title order={2} size="h4">
        {decision.allowed ? 'Ways to end this access' : 'Ways to give access'}
      </Title>
      <Paper withBorder p="md">
        <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
          {alternatives.map(({ sentence, people, calls }, index) => {
            const fix = onlyFixOf(calls)
            const place = fix && placeOf(key, fix, chain)
            return (
              <Group key={sentence} component="li" justify="space-between" gap="xs">
                <Text size="sm" flex={1} miw={220} id={`${id}-${index}`} style={{ overflowWrap: 'anywhere' }}>
                  <NamedSentence things={things}>{sentence}</NamedSentence>
                  {people !== undefined && (
                    <Text span size="sm" c="dimmed">
                      {' '}
                      {affectedInWords(people, decision.allowed)}
                    </Text>
                  )}
                </Text>
                {fix !== undefined && place !== undefined && (
                  <PermittedButton
                    needs={neededFor(place, fix.change)}
                    size="xs"
                    variant="default"
                    aria-describedby={`${id}-${index}`}
                    onClick={() => onStart(place, fix.change)}
                  >
                    Preview…
                  </PermittedButton>
                )}
              </Group>
            )
          })}
        </Stack>
      </Paper>
    </Stack>
  )
}

/** A preview shows one change. */
function onlyFixOf([call, ...others]: Alternative['calls']) {
  return call === undefined || others.length > 0 ? undefined : fixOf(call)
}
