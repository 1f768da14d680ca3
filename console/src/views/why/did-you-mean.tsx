/** Similar ids, for a question with an id that is not known: each is a link to the question that was probably meant. */
import { Group, List } from '@mantine/core'
import type { Explanation } from '#sdk/generated/operations.ts'
import { Note } from '../../components/feedback/note.tsx'
import { useFound } from '../../components/search/use-found.ts'
import { Id } from '../../components/values/id.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { WHY } from '../../links/paths.ts'
import type { WhySearch } from '../../links/searches.ts'
import type { Found } from '../../queries/search.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'

const SHOWN_MAX = 3

interface DidYouMeanProps {
  question: WhySearch
  explanation: Explanation
  /** The results of the search for the id of the user; empty if a user has it. */
  users: readonly Found[]
}

export function DidYouMean({ question, explanation, users }: DidYouMeanProps) {
  const key = useKey()
  const { type, id, organizationId } = question
  const isMissing = explanation.rule.number === 1 && explanation.decision.migratedTo === undefined
  const organizations = useFound(key, isMissing ? organizationId : '', { kinds: ['organization'] }).found
  const isOrganization = organizations.some((one) => one.id === organizationId)
  const within = isMissing && isOrganization && type !== 'organization'
  const things = useFound(key, within ? id : '', { kinds: [type], organizationId }).found
  const hasGrants = explanation.chain.some(({ grants }) => grants.length > 0)
  const meant: [Found, WhySearch][] = [
    ...(hasGrants ? [] : users.slice(0, SHOWN_MAX)).map((one): [Found, WhySearch] => [
      one,
      { ...question, userId: one.id },
    ]),
    ...(isOrganization ? [] : organizations.slice(0, SHOWN_MAX)).map((one): [Found, WhySearch] => [
      one,
      { ...question, organizationId: one.id, ...(type === 'organization' && { id: one.id }) },
    ]),
    ...things.slice(0, SHOWN_MAX).map((one): [Found, WhySearch] => [one, { ...question, id: one.id }]),
  ]
  if (meant.length === 0) return null
  return (
    <section aria-label="Similar ids">
      <Note tone="caution" title="Did you mean another id?">
        <List size="sm">
          {meant.map(([{ kind, id, name }, search]) => (
            <List.Item key={JSON.stringify([kind, id])}>
              <Group component="span" gap={4} display="inline-flex">
                {kind}{' '}
                <AnchorLink inherit underline="always" to={WHY} params={{ apiKey: key.id }} search={search}>
                  <bdi>{shownName(name, id)}</bdi>
                </AnchorLink>
                {shownName(name, id) !== id && <Id copy={false}>{id}</Id>}
              </Group>
            </List.Item>
          ))}
        </List>
      </Note>
    </section>
  )
}
