/** Unsaved work, which would be lost if the page were left or the person signed out. One question names all of it (`Leaving`). */
import { useEffect } from 'react'
import { createListeners } from '../listeners.ts'

/** The section or dialog with changes that are not saved, or something that is under way. */
export type Loss = { section: string } | { says: string; signedOut?: string }

type Source = () => Loss | undefined

const sources = new Set<Source>()
const { listen, notify } = createListeners()
export const listenToLosses = listen

/** Returns a function that stops asking. `source` is called when somebody leaves. */
export function askBeforeLoss(source: Source): () => void {
  sources.add(source)
  notify()
  return () => {
    sources.delete(source)
    notify()
  }
}

/** Asks before something ends that is under way; the same object each time. */
export function useLoss(loss: Loss | undefined): void {
  useEffect(() => (loss === undefined ? undefined : askBeforeLoss(() => loss)), [loss])
}

/** Asks before the changes of a section are lost; undefined: there are none. */
export function useUnsaved(section: string | undefined): void {
  useEffect(() => (section === undefined ? undefined : askBeforeLoss(() => ({ section }))), [section])
}

const losses = (): Loss[] => [...sources].flatMap((source) => source() ?? [])

export const isUnfinished = (): boolean => losses().length > 0

const inWords = new Intl.ListFormat('en', { type: 'conjunction' })

/** Says what would be lost; empty if nothing would be. */
export function lossText(isSignedOut: boolean): string {
  const found = losses()
  const sections = found.flatMap((loss) => ('section' in loss ? [`“${loss.section}”`] : []))
  return [
    ...(sections.length === 0
      ? []
      : [`What you changed under ${inWords.format(sections)} is not saved, and will be lost.`]),
    ...found.flatMap((loss) => ('says' in loss ? [loss.says, (isSignedOut && loss.signedOut) || ''] : [])),
  ]
    .join(' ')
    .trim()
}

/** Returns whether the person signs out all the same. */
type Ask = () => Promise<boolean>

let ask: Ask | undefined

export function setAskBeforeSignOut(asks: Ask): () => void {
  ask = asks
  return () => {
    ask = undefined
  }
}

export const maySignOut = async (): Promise<boolean> => !isUnfinished() || ask === undefined || (await ask())
