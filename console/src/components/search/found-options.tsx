/** The options of a search: its results, and the typed text as an id if an id is enough. */

import type { FoundKind } from '../../queries/search.ts'
import type { Picked } from '../../recent.ts'
import { shownName } from '../../shown-name.ts'
import type { Option } from '../combobox/use-combobox.ts'
import { FoundOption, KIND_WORDS } from './found-option.tsx'

export interface PickedOption extends Option {
  picked: Picked
}

export const keyOfPicked = ({ kind, organizationId, id }: Picked): string =>
  JSON.stringify([kind, organizationId ?? null, id])

/** Results that contain the text but for a typo are guesses where an id can be typed instead. */
export const foundOption = (picked: Picked, withOrganization: boolean, canGuess: boolean): PickedOption => ({
  key: keyOfPicked(picked),
  label: shownName(picked.name, picked.id),
  content: <FoundOption found={picked} withOrganization={withOrganization} />,
  ...(picked.near && { group: 'Similar', isGuess: !canGuess }),
  picked,
})

export const typedOption = (picked: Picked, isAlone: boolean): PickedOption => ({
  key: keyOfPicked(picked),
  label: picked.id,
  content: (
    <span>
      Use the id <bdi>{picked.id}</bdi>
    </span>
  ),
  ...(!isAlone && { group: 'As an id' }),
  picked,
})

/** Says which kinds have no such name or id. */
export function nothingFound(kinds: readonly FoundKind[]): string {
  const words = kinds.map((kind) => KIND_WORDS[kind].toLowerCase())
  return `No ${words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : words[0]} has this name or id`
}

export const FAILED = 'The search failed; enter the full id'
