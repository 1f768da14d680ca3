/** The people that a change affects, grouped by its effect: losses first. Each group opens to names. */
import { Text } from '@mantine/core'
import { IconArrowRight, IconCircleMinus, IconCirclePlus, IconEqual, IconPencil, IconWorld } from '@tabler/icons-react'
import type { AffectedUser, EffectGroup } from '#sdk/generated/operations.ts'
import { RoleBadge } from '../../../components/access/role-badge.tsx'
import { Person } from '../../../components/people/person.tsx'
import { givingResource, isSame } from '../../../resource.ts'
import { shownName } from '../../../shown-name.ts'
import type { Place, Preview } from './change.ts'
import classes from './effect-groups.module.css'
import { effectOnEveryone, headline, NO_EFFECT, resourcesOf, TOO_LARGE } from './summary.ts'

const ICONS = {
  lost: IconCircleMinus,
  role: IconPencil,
  expiry: IconPencil,
  gained: IconCirclePlus,
  kept: IconEqual,
}

/** The maximum number of people in a group whose names are shown without a click. */
const OPEN_MAX = 10

const ms = (seconds: number | undefined): number | undefined => (seconds === undefined ? undefined : seconds * 1_000)

export function EffectGroups({ place, preview: { simulation, atLeast } }: { place: Place; preview: Preview }) {
  if (simulation === undefined) return <Text>{TOO_LARGE}</Text>
  const everyone = effectOnEveryone(simulation)
  const hasEffect = everyone.length > 0 || simulation.groups.some(({ effect }) => effect !== 'kept')
  return (
    <>
      {!hasEffect && <Text mb="xs">{NO_EFFECT}</Text>}
      {everyone.map(({ text, isLoss }) => (
        <p key={text} className={classes.everyone} data-loss={isLoss || undefined}>
          <IconWorld size={16} aria-hidden /> <span>{atLeast ? `At least ${text}` : text}</span>
        </p>
      ))}
      {simulation.groups.map((group) => (
        <OneGroup
          key={JSON.stringify([group.effect, group.accessRole, group.via])}
          group={group}
          place={place}
          atLeast={atLeast}
        />
      ))}
      {atLeast && (
        <Text size="sm" c="dimmed">
          There is too much inside to compare. The counts are of people with another access to {place.resource.type}{' '}
          <bdi>{shownName(place.chain[0]?.name, place.resource.id)}</bdi> itself.
        </Text>
      )}
    </>
  )
}

function OneGroup({ group, place, atLeast }: { group: EffectGroup; place: Place; atLeast: boolean }) {
  const Icon = ICONS[group.effect]
  const text = headline(group, atLeast && group.effect !== 'kept')
  const where = group.effect === 'kept' ? throughWhat(group, place) : onWhat(group, place)
  return (
    <details className={classes.group} open={group.users <= OPEN_MAX} data-loss={group.effect === 'lost' || undefined}>
      <summary className={classes.summary}>
        <Icon size={16} aria-hidden className={classes.icon} />
        <span>
          <strong>{text}</strong>
          {where !== '' && <span className={classes.where}> {where}</span>}
        </span>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be scrollable with the keyboard */}
      <ul className={classes.list} aria-label={text} tabIndex={0}>
        {group.people.map((person) => (
          <li key={person.userId} className={classes.line}>
            <span className={classes.who}>
              <Person userId={person.userId} name={person.name} />
            </span>
            {group.effect !== 'kept' && <BeforeAndAfter person={person} />}
          </li>
        ))}
        {group.users > group.people.length && (
          <li className={classes.line}>and {(group.users - group.people.length).toLocaleString('en')} more</li>
        )}
      </ul>
    </details>
  )
}

function BeforeAndAfter({ person: { before, after, resources } }: { person: AffectedUser }) {
  return (
    <span className={classes.effect}>
      <RoleBadge role={before.allowed ? before.accessRole : undefined} expiresAt={ms(before.expiresAt)} />
      <IconArrowRight size={14} aria-label="becomes" />
      <RoleBadge
        role={after.allowed ? after.accessRole : undefined}
        lost={before.allowed && !after.allowed}
        expiresAt={ms(after.expiresAt)}
      />
      {resources > 1 && (
        <Text span size="xs" c="dimmed">
          on {resources.toLocaleString('en')} resources
        </Text>
      )}
    </span>
  )
}

/** Says on what, unless it is only the resource of the page. */
function onWhat(group: EffectGroup, { resource }: Place): string {
  const [only] = group.people
  const isHere = group.organizations + group.folders + group.documents === 1 && only && isSame(only.resource, resource)
  return isHere ? '' : `on ${resourcesOf(group)}`
}

/** Says what gives the access that people keep. */
function throughWhat({ via, groupName, people }: EffectGroup, { resource, chain }: Place): string {
  if (via?.group !== undefined) return `through ${shownName(groupName, via.group)}`
  const giving = givingResource(via)
  if (giving === undefined) return 'by the default of the API key'
  const name = shownName(chain.find((one) => isSame(one, giving))?.name, giving.id)
  const isHere = isSame(giving, resource)
  const words = { access_type: 'because it is public', membership: 'as a member of the organization' }
  const reason = people[0]?.after.reason
  if (reason === 'access_type' || reason === 'membership') return words[reason]
  return isHere ? 'through a grant here' : `through a grant on ${name}`
}
